import { runbookPage } from '@orderly/kit/internal/aws/app-names.js';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { OperatedApp } from '../cli/context.js';
import { type CommandFormatter, formatDuration, pluralize } from '../cli/text-format.js';
import { PAUSE_LIMITS } from '../consumers/pause-limits.js';
import { describeLastError } from './failing.js';
import type { ConsumerState, FailingFunction, StatusFacts, SweeperState } from './status-facts.js';

/** Something that is wrong, and the next thing to do about it. */
export interface Problem {
  /** For scripts: `failures`, `saga-stuck`. */
  readonly code: string;
  readonly text: string;
  /** A command that can be pasted, or what to do. */
  readonly next: string;
  /** Page that says what it means, and what to do after the command. */
  readonly page?: string;
}

/** Runbook and commands that advice names. */
export type AdviceContext = Pick<OperatedApp, 'runbook'> & { readonly command: CommandFormatter };

/** Limits of the kit's alarms, in seconds: a status and an alarm agree. */
const LIMITS = {
  /** `RelayBehind` */
  relay: 300,
  /** `QueueBehind`, `InboxBehind` */
  oldest: 3600,
  /** `TimersLate` */
  late: 600,
  /** `SweeperStopped`; CloudWatch's newest minutes may have no value yet, so a status waits for twice as long. */
  tick: 600,
  /** Two ticks of a sweeper. */
  due: 120,
  /** `AuditBehind` */
  audit: 7200,
  /** `PauseForgotten` */
  pause: PAUSE_LIMITS.forgotten,
  /** `PauseLosesMessages` */
  lastDays: PAUSE_LIMITS.urgent,
} as const;

/** Judges what is wrong, the most urgent first. It is a pure function. */
export function findProblems(facts: StatusFacts, advising: AdviceContext): readonly Problem[] {
  const { command } = advising;
  const page = pageFormatter(advising);
  const { consumers, relays, sweepers, deadLetters, failing, audit, alarms, unread, missingStacks = [] } = facts;
  const withPage = (heading: string, ...words: readonly string[]): Pick<Problem, 'next' | 'page'> => ({
    next: command(...words),
    page: page(heading),
  });
  const auditLag = audit?.auditedUntil === undefined ? 0 : secondsBetween(audit.auditedUntil, facts.now);
  const stuck = consumers.filter((one) => (one.stuck ?? 0) > 0);
  const failed = [
    ...consumers,
    ...relays.map(({ service, ...one }) => ({ service, consumer: 'relay', ...one })),
  ].filter((one) => one.failed > 0);
  const [first, ...others] = failed;
  const silent = sweepers.filter((sweeper) => isSilent(sweeper, facts));
  const stuckCount = sum(stuck.map((one) => one.stuck ?? 0));
  const letters = sum(deadLetters.filled.map(({ messages }) => messages));
  return [
    ...problemIf(stuck.length > 0, () => ({
      code: 'saga-stuck',
      text: `${pluralize(stuckCount, 'saga')} of ${joinNames(stuck)} ${stuckCount === 1 ? 'is' : 'are'} stuck`,
      next: command('sagas', 'list'),
    })),
    ...(first
      ? [
          {
            code: 'failures',
            text: `${countFailures(failed)} failed (${joinNames(failed)})`,
            next:
              others.length === 0
                ? command('failures', 'groups', '--consumer', first.consumer)
                : command('failures', 'causes'),
          },
        ]
      : []),
    ...failing
      .filter(({ failingSince }) => failingSince !== undefined)
      .map((one) => ({
        code: 'failing',
        text: describeFailing(one, facts.now),
        ...withPage(one.kind === 'relay' ? 'RelayBehind' : 'FunctionFailing', 'doctor'),
      })),
    ...problemIf(letters > 0, () => ({
      code: 'dead-letters',
      text: `${pluralize(letters, 'message')} in dead-letter queues (${deadLetters.filled.map(({ queue }) => queue).join(', ')})`,
      ...withPage(runbookHeading(deadLetters.filled[0]?.queue ?? ''), 'doctor'),
    })),
    ...relays
      .filter(({ lagSeconds = 0 }) => lagSeconds >= LIMITS.relay)
      .map(({ service, lagSeconds = 0 }) => ({
        code: 'relay-behind',
        text: `the relay of ${service} is ${formatDuration(lagSeconds)} behind`,
        ...withPage('RelayBehind', 'doctor'),
      })),
    ...problemIf(silent.length > 0, () => ({
      code: 'sweeper-stopped',
      text: `nothing has called the sweeper of ${joinNames(silent)} for ${formatDuration(LIMITS.tick)} or longer`,
      ...withPage('SweeperStopped', 'doctor'),
    })),
    ...consumers
      .filter(({ lateSeconds = 0 }) => lateSeconds >= LIMITS.late)
      .map((one) => ({
        code: 'timers-late',
        text: `what ${one.consumer} has stored is due since ${formatDuration(one.lateSeconds ?? 0)} and was not handed out`,
        ...withPage('TimersLate', ...listCommand(one)),
      })),
    ...consumers.flatMap((one) => findForgottenPause(one, facts.now, withPage)),
    ...consumers
      .filter(({ oldestSeconds = 0, paused }) => oldestSeconds >= LIMITS.oldest && !paused)
      .map((one) => ({
        code: 'behind',
        text: `a message has waited for ${formatDuration(one.oldestSeconds ?? 0)} for ${one.consumer}`,
        ...(one.kind === 'inbox' ? withPage('InboxBehind', ...listCommand(one)) : withPage('QueueBehind', 'doctor')),
      })),
    ...problemIf(auditLag >= LIMITS.audit, () => ({
      code: 'audit-behind',
      text: `the delivery audit is ${formatDuration(auditLag)} behind`,
      ...withPage('AuditBehind', 'doctor'),
    })),
    ...problemIf((audit?.followed ?? 0) > 0, () => ({
      code: 'missing',
      text: `${pluralize(audit?.followed ?? 0, 'delivery was', 'deliveries were')} missing and sent again; what became of it is not known yet`,
      ...withPage('DeliveryMissing', 'audit-log'),
    })),
    ...(alarms?.active ?? []).map(({ name, heading, description, severity, parts }) => ({
      code: 'alarm',
      text: `${severity ?? 'alarm'} ${heading} is on (${name})${parts ? `: ${parts.join(', ')}` : ''}`,
      ...(advising.runbook === undefined
        ? { next: description }
        : withPage(heading, ...(FIRST_LOOKS[heading] ?? ['doctor']))),
    })),
    ...unread.map((what) => ({
      code: 'unread',
      text: `${what} can't be read, so they may hide something`,
      next: 'let the caller read CloudWatch: cloudwatch:GetMetricData, cloudwatch:DescribeAlarms, logs:DescribeLogGroups and logs:FilterLogEvents',
    })),
    ...missingStacks.map((name) => ({
      code: 'unread',
      text: `stack ${name} is not deployed, so nothing of it is counted`,
      next: `deploy ${name}; if it was removed for good, deploy the stack of this API again`,
    })),
  ];
}

/** A pause of a day may be forgotten. When its fifth day begins, its oldest messages have three days left. */
function findForgottenPause(
  { consumer, paused, pending }: ConsumerState,
  now: string,
  withPage: (heading: string, ...words: readonly string[]) => Pick<Problem, 'next' | 'page'>,
): readonly Problem[] {
  if (!paused) return [];
  const seconds = secondsBetween(paused.since, now);
  // A pause that this release can't read has no time.
  if (seconds < LIMITS.pause) return [];
  const isUrgent = seconds >= LIMITS.lastDays;
  const urgent = isUrgent ? ', and its queue loses its oldest messages after seven days' : '';
  return [
    {
      code: 'paused',
      text: `${consumer} is paused for ${formatDuration(seconds)}${urgent}: ${pluralize(pending, 'message waits', 'messages wait')} (${paused.by}: ${paused.reason})`,
      ...withPage(isUrgent ? 'PauseLosesMessages' : 'PauseForgotten', 'consumers', 'resume', consumer),
    },
  ];
}

/** Says who fails, how often, with which error, and when it gives up. */
function describeFailing({ kind, service, consumer, entry, ...one }: FailingFunction, now: string): string {
  const { inARow = 0, failingSince = now, lastError, oldestSeconds, givesUpInSeconds } = one;
  const who = kind === 'relay' ? `the relay of ${service}` : consumer === undefined ? entry : `${consumer} (${entry})`;
  const calls = inARow === 1 ? 'its last call' : `each of its last ${inARow} calls`;
  return [
    `${who} fails in ${calls}, since ${formatDuration(secondsBetween(failingSince, now))}`,
    lastError ? `: ${describeLastError(lastError)}` : '',
    oldestSeconds === undefined ? '' : `; the oldest message waits for ${formatDuration(oldestSeconds)}`,
    givesUpInSeconds === undefined ? '' : ` and is given up in at most ${formatDuration(givesUpInSeconds)}`,
  ].join('');
}

/** Commands that show what some alarms are about; `doctor` shows why something has stopped. */
const FIRST_LOOKS: Readonly<Record<string, readonly string[]>> = {
  FailureRecorded: ['failures', 'causes'],
  PublishFailed: ['failures', 'causes'],
  BatchGivenUp: ['failures', 'causes'],
  SagaStuck: ['sagas', 'list'],
  TimersLate: ['sagas', 'list'],
  InboxBehind: ['inbox', 'list'],
  InboxGap: ['inbox', 'list'],
  DeliveryMissing: ['audit-log'],
  PauseForgotten: ['consumers', 'list'],
  PauseLosesMessages: ['consumers', 'list'],
};

/**
 * Whether a sweeper's last tick is too old. Without any tick in the last minutes it is, if something is due: an idle sweeper's
 * alarm, `SweeperStopped`, tells it from a new one and from an emulator that counts no ticks.
 */
function isSilent({ service, consumer, lastTick }: SweeperState, { now, consumers }: StatusFacts): boolean {
  if (lastTick !== undefined) return secondsBetween(lastTick, now) >= LIMITS.tick;
  const { lateSeconds = 0 } = consumers.find((one) => one.service === service && one.consumer === consumer) ?? {};
  return lateSeconds >= LIMITS.due;
}

/** Returns the words of the command that lists what waits for a consumer. */
const listCommand = ({ kind, consumer }: ConsumerState): readonly string[] =>
  kind === 'inbox' ? ['inbox', 'list', '--consumer', consumer] : ['sagas', 'list'];

const problemIf = (is: boolean, problem: () => Problem): readonly Problem[] => (is ? [problem()] : []);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const joinNames = (consumers: readonly Pick<ConsumerState, 'consumer'>[]): string =>
  [...new Set(consumers.map(({ consumer }) => consumer))].join(', ');

function countFailures(failed: readonly Pick<ConsumerState, 'failed' | 'moreFailed'>[]): string {
  const count = sum(failed.map((one) => one.failed));
  return failed.some(({ moreFailed }) => moreFailed) ? `over ${count} messages` : pluralize(count, 'message');
}

/** Returns the runbook's heading about a dead-letter queue of the kit. */
function runbookHeading(queue: string): string {
  if (queue.includes('Undrained')) return 'BatchNotDrained';
  return queue.includes('Undelivered') ? 'UndeliveredNotDrained' : 'DeadLettersNotDrained';
}

/** Returns how the place of the runbook is named; without a runbook, the kit's own alarm is named. */
const pageFormatter =
  ({ runbook }: Pick<AdviceContext, 'runbook'>) =>
  (heading: string): string =>
    runbook === undefined ? `see the alarm ${heading}` : runbookPage(runbook, heading);
