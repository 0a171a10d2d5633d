import * as z from 'zod/mini';
import { Paging } from './queries.js';
import { withDescription } from './with-description.js';

/**
 * Query of a point-in-time read: `at` is an ISO 8601 time in any time zone; `version` is a version of the aggregate.
 */
export const PointInTimeQuery = z
  .strictObject({
    at: z.exactOptional(
      withDescription(
        'Time at which to read, ISO 8601 in any time zone. Excludes `version`.',
        z.iso.datetime({ offset: true }),
      ),
    ),
    version: z.exactOptional(
      withDescription(
        'Version to read, from 1. Excludes `at`.',
        z.string().check(z.regex(/^\d{1,15}$/, 'expected a whole number')),
      ),
    ),
  })
  .check(
    z.refine(({ at, version }) => at === undefined || version === undefined, {
      path: ['version'],
      error: 'expected either at or version',
    }),
  );

/** Query of an aggregate's history. */
export const HistoryQuery = z.strictObject(Paging);

/** An event of an aggregate, as answers show it. */
export const HistoryEntryView = z.object({
  id: withDescription('Id of the event.', z.string()),
  version: withDescription('Version of the aggregate after this event, from 1.', z.int()),
  type: withDescription('Type of the event, such as `OrderPlaced`.', z.string()),
  at: withDescription('Time of the event, ISO 8601, UTC.', z.iso.datetime()),
  actor: withDescription('Who acted: role and id, or a role alone.', z.string()),
  onBehalfOf: z.exactOptional(
    withDescription('Caller who began what a service continued, if a service acted.', z.string()),
  ),
  correlationId: withDescription('Correlation id of the request or message that led to the event.', z.string()),
  causationId: withDescription('Id of the request or message that caused the event.', z.string()),
  data: withDescription('Data of the event, in the newest version of its type.', z.unknown()),
});
