import type { CommandContext } from '../cli/context.js';
import { interruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { type DiscardRequest, discard } from '../failures/discard.js';
import { discardGroup } from '../failures/group-discard.js';
import { type GroupRequest, redriveGroup } from '../failures/group-redrive.js';
import { type RedriveRequest, redrive } from '../failures/redrive.js';
import { relayAt } from '../failures/redrive-relay.js';
import { sending } from '../records/send.js';

export { listFailureGroups } from '../failures/failure-group-list.js';
export { listFailures, showFailure } from '../failures/failures.js';

/** Work of `failures redrive`, for one message or a group. */
export const redriveOneOrAll = (context: CommandContext, request: RedriveRequest | GroupRequest): Promise<Outcome> =>
  'group' in request ? redriveAll(context, request) : redrive(context, request);

/** Work of `failures discard`, for one message or a group. */
export const discardOneOrAll = (
  context: CommandContext,
  request: DiscardRequest | (GroupRequest & Pick<DiscardRequest, 'reason'>),
): Promise<Outcome> =>
  'group' in request
    ? interruptible((interruption) => discardGroup({ ...context, ...interruption }, request))
    : discard(context, request);

const redriveAll = (context: CommandContext, request: GroupRequest): Promise<Outcome> =>
  interruptible((interruption) =>
    sending(context.endpoint, (send) => {
      const { documents, clock, endpoint } = context;
      const ways = { documents, clock, send, invoke: relayAt(endpoint) };
      return redriveGroup({ ...context, ...interruption }, request, ways);
    }),
  );
