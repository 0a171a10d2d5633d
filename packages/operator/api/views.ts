import { withDescription } from '@orderly/kit/internal/http/with-description.js';
import * as z from 'zod/mini';

/**
 * Answers and queries of the operator's API, for declarations of routes. The answers are the JSON objects of the command
 * line (`--json`). This module is data: it reads no environment and calls nothing.
 */

const count = z.int();
const seconds = z.number();
const time = z.iso.datetime();

/** Answer of `status`, without what the application adds. */
export const StatusView = z.object({
  state: withDescription('`healthy` if there is no problem.', z.enum(['healthy', 'unhealthy'])),
  at: withDescription('Time of the status.', time),
  problems: withDescription(
    'The problems, the most urgent first.',
    z.array(
      z.object({
        code: withDescription('Kind of the problem, such as `failures` or `saga-stuck`.', z.string()),
        text: z.string(),
        next: withDescription('Command to run next, or what to do.', z.string()),
        page: z.exactOptional(withDescription('Page that says what to do.', z.string())),
      }),
    ),
  ),
  consumers: z.array(
    z.object({
      service: z.string(),
      consumer: z.string(),
      kind: z.enum(['consumer', 'projection', 'saga', 'inbox']),
      pending: withDescription('Messages that wait.', count),
      inFlight: withDescription('Messages that it is handling.', count),
      oldestSeconds: z.exactOptional(withDescription('Age of the oldest message.', seconds)),
      failed: withDescription('Failures that wait for an operator.', count),
      moreFailed: withDescription('Whether more have failed than were counted.', z.boolean()),
      parked: z.exactOptional(withDescription('Messages of an inbox that wait for their predecessors.', count)),
      lateSeconds: z.exactOptional(
        withDescription('Time by which the most overdue timer or message is late.', seconds),
      ),
      stuck: z.exactOptional(withDescription('Sagas that wait for an operator.', count)),
      paused: z.exactOptional(
        withDescription(
          'Absent of a consumer that no operator has paused.',
          z.object({
            since: z.string(),
            by: withDescription('ARN of who paused it; at an emulator the user of the machine.', z.string()),
            reason: z.string(),
          }),
        ),
      ),
    }),
  ),
  relays: z.array(
    z.object({
      service: z.string(),
      lagSeconds: z.exactOptional(
        withDescription('Age of the commits that it reads; absent if it reads none.', seconds),
      ),
      failed: withDescription('Commits that it could not publish.', count),
      moreFailed: z.boolean(),
    }),
  ),
  sweepers: z.array(
    z.object({
      service: z.string(),
      consumer: z.string(),
      lastTick: z.exactOptional(
        withDescription('Minute of its last invocation; absent if there was none lately.', time),
      ),
    }),
  ),
  failing: withDescription(
    'Functions of which calls failed in the last ten minutes, or that tried messages again.',
    z.array(
      z.object({
        service: z.string(),
        entry: withDescription('Entry point, such as `orders/place-order`.', z.string()),
        name: withDescription('Name of the function.', z.string()),
        kind: z.enum(['consumer', 'projection', 'saga', 'inbox', 'relay', 'endpoint', 'other']),
        consumer: z.exactOptional(z.string()),
        calls: count,
        failed: withDescription('Calls that ended with an error, a timeout or an exit.', count),
        retried: withDescription('Times that it put a message off, or did not send one.', count),
        failingSince: z.exactOptional(
          withDescription('Minute from which on each call failed; absent if calls succeed.', time),
        ),
        inARow: z.exactOptional(withDescription('Number of calls since then.', count)),
        lastError: z.exactOptional(
          withDescription(
            'Newest error in its log; absent if there is none.',
            z.object({
              at: time,
              message: z.exactOptional(
                withDescription('Outcome of an attempt that did nothing, such as `retrying`.', z.string()),
              ),
              name: withDescription('Name of the error.', z.string()),
              text: z.exactOptional(withDescription('Text of the error, without data of people.', z.string())),
              frame: z.exactOptional(withDescription('First frame of its stack.', z.string())),
            }),
          ),
        ),
        oldestSeconds: z.exactOptional(withDescription('Age of the oldest message that waits for it.', seconds)),
        givesUpInSeconds: z.exactOptional(
          withDescription('Time until that message becomes a failure at the latest.', seconds),
        ),
      }),
    ),
  ),
  deadLetters: z.object({
    queues: withDescription('Number of dead-letter queues.', count),
    filled: withDescription(
      'Those that are not empty.',
      z.array(z.object({ queue: z.string(), messages: count, oldestSeconds: z.exactOptional(seconds) })),
    ),
  }),
  audit: withDescription(
    'How far the delivery audit is; null if none is deployed.',
    z.nullable(
      z.object({
        auditedUntil: z.exactOptional(
          withDescription('Time before which every delivery is judged; absent before the first run.', time),
        ),
        followed: withDescription('Deliveries that it sent again, and whose end is not known yet.', count),
      }),
    ),
  ),
  alarms: withDescription(
    'Alarms of all stacks; null if they could not be read.',
    z.nullable(
      z.object({
        total: count,
        active: z.array(
          z.object({
            name: z.string(),
            heading: withDescription('Heading of the runbook about it.', z.string()),
            description: z.string(),
            severity: z.exactOptional(
              withDescription(
                '`page` needs somebody at once, `ticket` waits for working hours.',
                z.enum(['page', 'ticket']),
              ),
            ),
            parts: z.exactOptional(
              withDescription('Names of the parts that raised it, if it watches more than one.', z.array(z.string())),
            ),
            since: z.exactOptional(time),
          }),
        ),
      }),
    ),
  ),
  unread: withDescription('Sources that could not be read, with the reason.', z.array(z.string())),
});

/** Query of the failure groups. */
export const FailureGroupsQuery = z.strictObject({
  consumer: z.exactOptional(
    withDescription('Failures of one consumer only; `relay` for what could not be published.', z.string()),
  ),
});

const kind = withDescription(
  'What has failed: messages, or sagas that are stuck at a step.',
  z.enum(['failure', 'stuck saga']),
);

/** Fields that a group and a cause have in common. */
const ofFailures = {
  count,
  more: withDescription('Whether there may be more: of sagas, the first 1,000 of a type are read.', z.boolean()),
  first: z.exactOptional(time),
  last: z.exactOptional(time),
  lastHour: count,
  unknown: withDescription('Those that may have been processed before: a redrive leaves them out.', count),
  sealedTexts: withDescription(
    'Those whose error has a text that may contain data of a person: only `failures show` opens it.',
    count,
  ),
  subjects: z.object({ count, newest: z.array(z.string()) }),
  customers: z.exactOptional(
    withDescription(
      'Customers of the newest failures; absent of small ones behind the first 20.',
      z.object({
        count: withDescription('Number of different ones.', count),
        newest: z.array(z.string()),
        looked: withDescription('Number of failures that were looked at.', count),
      }),
    ),
  ),
  next: withDescription('Command that processes all of it again, once the cause is gone.', z.string()),
  close: withDescription('Command that ends it by a decision.', z.string()),
  page: z.exactOptional(withDescription('Page that says what to do about it.', z.string())),
};

/** Answer of `failures groups` and of `failures causes`. */
export const FailureGroupsView = z.object({
  groups: withDescription(
    'Failures, or stuck sagas, of one consumer with the same error, the largest group first.',
    z.array(
      z.object({
        id: z.string(),
        kind,
        service: z.string(),
        consumer: z.string(),
        error: withDescription('Name of the error.', z.string()),
        message: withDescription('Message of the error, without ids, times and numbers.', z.string()),
        causes: withDescription('Ids of the causes that it has failures of.', z.array(z.string())),
        hourBefore: count,
        sample: z.exactOptional(withDescription('Id of the newest message, or saga.', z.string())),
        ...ofFailures,
      }),
    ),
  ),
  causes: withDescription(
    'The same failures by their cause across all consumers, the largest first. One bad publisher is one cause. With `consumer`, it is the part at this consumer.',
    z.array(
      z.object({
        id: z.string(),
        kind,
        error: withDescription('Name of the error.', z.string()),
        message: withDescription('Message of the error, without ids, times and numbers.', z.string()),
        publisher: z.exactOptional(
          withDescription(
            'Service that published the messages, or the source of another application; absent if no record says it.',
            z.string(),
          ),
        ),
        type: z.exactOptional(
          withDescription('Type of the messages, or of the sagas; absent if no record says it.', z.string()),
        ),
        consumers: withDescription('Number of consumers that have failures of it.', count),
        groups: withDescription(
          'Its part at each consumer, the largest first.',
          z.array(z.object({ id: z.string(), service: z.string(), consumer: z.string(), count })),
        ),
        trend: withDescription(
          'Number in each of the last 24 hours, the oldest first; the last hour ends now.',
          z.array(count),
        ),
        older: withDescription('Number before these hours.', count),
        note: z.exactOptional(
          withDescription(
            'What operators have noted of it, by `failures annotate`; absent if nothing.',
            z.object({
              owner: z.exactOptional(withDescription('Who takes care of it.', z.string())),
              ticket: z.exactOptional(z.string()),
              note: z.exactOptional(z.string()),
              by: withDescription('ARN of who changed it last; at an emulator the user of the machine.', z.string()),
              at: time,
            }),
          ),
        ),
        sample: z.exactOptional(withDescription('Command that shows the newest failure, or saga.', z.string())),
        ...ofFailures,
      }),
    ),
  ),
  unreadable: withDescription('Stuck sagas that this release cannot read: they are in no group and no cause.', count),
});

const TIME_SPAN = z
  .string()
  .check(z.regex(/^\d{1,6}[smhd]$/, 'expected a number with s, m, h or d, such as 30m or 1h'));
const INSTANT = z.iso.datetime({ offset: true });

/** Parameters of the delivery audit that any application has. */
export const AuditParameters = {
  since: z.exactOptional(withDescription('The last `30m`, `1h`. Excludes `from`.', TIME_SPAN)),
  from: z.exactOptional(withDescription('Time from which commits are audited, ISO 8601. Excludes `since`.', INSTANT)),
  to: z.exactOptional(
    withDescription('Time before which they are audited; with `from` only. By default now.', INSTANT),
  ),
  consumer: z.exactOptional(withDescription('One consumer only.', z.string())),
  grace: z.exactOptional(
    withDescription('Messages that are younger and have no record are too new to tell. By default `15m`.', TIME_SPAN),
  ),
};

/** Answer of `audit`. */
export const AuditView = z.object({
  audit: z.object({
    from: z.exactOptional(withDescription('Beginning of the time that was audited.', time)),
    to: z.exactOptional(withDescription('Its end.', time)),
    subject: z.exactOptional(withDescription('The aggregate that was audited, instead of a time.', z.string())),
    subjects: z.exactOptional(
      withDescription('It, and those that were audited together with it.', z.array(z.string())),
    ),
    verdict: withDescription(
      'Whether something is missing, in sentences: it says what was not compared, such as messages that no consumer subscribes to.',
      z.string(),
    ),
    commits: count,
    messages: withDescription('Events and commands in these commits.', count),
    unsent: withDescription('Those of backfills, which are never sent.', count),
    unheard: withDescription(
      'Those that no consumer subscribes to: there was nothing to compare.',
      z.object({ messages: count, types: z.array(z.string()) }),
    ),
    deliveries: withDescription(
      'Messages at each consumer that receives them, by what became of them.',
      z.object({
        processed: count,
        discarded: count,
        expired: withDescription('Older than records are kept, so nobody can tell.', count),
        'too new': withDescription('Younger than `grace`, and without a record yet.', count),
        pending: count,
        failed: count,
        missing: withDescription('Lost: no record, and no queue in which they may be.', count),
      }),
    ),
    unreadable: withDescription(
      "Commits that can't be read, except those whose failures an operator has discarded. Nobody knows their messages.",
      z.array(
        z.object({
          service: withDescription('Service that committed it.', z.string()),
          commit: withDescription('Its key: the id of its failure at the relay.', z.string()),
          fault: withDescription('Paths and codes of what is wrong, without values.', z.string()),
          isRecorded: withDescription('Whether there is a failure record of it.', z.boolean()),
        }),
      ),
    ),
    missing: withDescription(
      'All missing deliveries.',
      z.array(
        z.object({
          at: time,
          service: withDescription('Service that committed the message.', z.string()),
          consumer: z.string(),
          messageId: z.string(),
          type: z.string(),
          subject: z.string(),
        }),
      ),
    ),
    resent: withDescription('Always false: the command line sends what is missing again.', z.boolean()),
    twice: z.exactOptional(
      withDescription(
        'Effects that were done twice; absent with `consumer`.',
        z.object({
          checked: withDescription('Number of those that were checked, the oldest first.', count),
          left: withDescription(
            'Number of those that an answer has no room or no time for: they were not checked.',
            count,
          ),
          next: z.exactOptional(withDescription('Command that checks those that are left.', z.string())),
          found: withDescription(
            'Those with something that was done twice.',
            z.array(
              z.object({
                id: z.string(),
                effects: z.array(
                  z.object({
                    subject: withDescription('Aggregate with two commits.', z.string()),
                    trigger: z.exactOptional(withDescription('Id of the cause that was applied twice.', z.string())),
                    type: z.exactOptional(withDescription('Effect that happened twice.', z.string())),
                    versions: z.array(z.int()),
                  }),
                ),
                next: withDescription('Command that shows it.', z.string()),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});

/** Query of the operators' log. */
export const AuditLogQuery = z.strictObject({
  since: z.exactOptional(withDescription('How far back: `30m`, `7d`. By default `24h`.', TIME_SPAN)),
});

/** Answer of `audit-log`. */
export const AuditLogView = z.object({
  actions: withDescription(
    'Actions of operators, newest first.',
    z.array(
      z.object({
        service: z.string(),
        at: time,
        actor: withDescription('ARN of who ran the command; at an emulator the user of the machine.', z.string()),
        action: withDescription('Such as `redrive`, `discard`, `resend`.', z.string()),
        target: withDescription('Such as a consumer and a message id.', z.string()),
        reason: z.exactOptional(z.string()),
        group: z.exactOptional(withDescription('Group of failures, if it was done to one.', z.string())),
        cause: z.exactOptional(
          withDescription('Cause of failures across consumers, if it was done to one.', z.string()),
        ),
        run: z.exactOptional(withDescription('The same for all messages of one run of a command.', z.string())),
        result: z.exactOptional(withDescription('Absent if the command ended before it knew.', z.string())),
      }),
    ),
  ),
});
