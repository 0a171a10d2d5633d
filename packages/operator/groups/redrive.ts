import { type AuditKey, recordResult } from '../audit-log/audit-log.js';
import { atRate, portionsOf } from '../cli/at-rate.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import { runInterruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { formatDuration, pluralize } from '../cli/text-format.js';
import { RESULT_WORDS, type RedriveAccess, requireRedrivable, resendFailure } from '../failures/redrive.js';
import { createRelayInvoker } from '../failures/redrive-relay.js';
import {
  type ConsumerRecord,
  describeReason,
  type FoundRecord,
  failedAgain,
  readRecord,
} from '../records/consumer-records.js';
import { groupBy } from '../records/group-by.js';
import { MAX_WAIT_SECONDS, POLL_INTERVAL_SECONDS, withSender } from '../records/message-sender.js';
import { type Failure, readFailureGroups, stillFailed } from './failures.js';
import {
  counted,
  exitOf,
  type GroupContext,
  type GroupRequest,
  GroupRun,
  REPORT_INTERVAL,
  type Verdict,
} from './run.js';

/** Maximum number of messages without a result. Where consumers don't keep up, the command waits for them. */
const IN_FLIGHT = 25;

/** Result of a message that was sent, or the reason for which a failure was left out. */
type Result = 'processed' | 'failed again' | 'ended otherwise' | 'pending' | 'unknown' | 'notRedrivable' | 'changed';

type Run = GroupRun<Failure, Result, FoundRecord>;

/** `failures redrive --group` and `--cause` at an endpoint, until Ctrl-C. */
export const redriveAll = (context: CommandContext, request: GroupRequest): Promise<Outcome> =>
  runInterruptible((interruption) =>
    withSender(context.endpoint, (send) =>
      redriveGroup({ ...context, ...interruption }, request, {
        ...context,
        send,
        invoke: createRelayInvoker(context.endpoint),
      }),
    ),
  );

/**
 * Sends the failures of a group, or of a cause at all its consumers, again, the oldest first. The first one of each consumer is a
 * probe: if one of them fails again, the cause is not gone, and no other is sent.
 * @throws {OperatorError} `not-found`, or `refused` if several groups, or causes, begin so
 */
export async function redriveGroup(
  context: GroupContext,
  request: GroupRequest,
  ways: RedriveAccess,
): Promise<Outcome> {
  const groups = await readFailureGroups(context);
  const run: Run = new GroupRun(groups, request, context);
  if (request.dryRun) return dryRun(context, run, request.rate);
  const redrive = new GroupRedrive(context, run, ways, await context.actor());
  return outcomeOf(context, run, await redrive.run(request.rate));
}

/** Returns a failure that may be sent again, with its message; else notes why it is left out. */
async function sendable(context: GroupContext, run: Run, member: Failure) {
  const found = await stillFailed(context.documents, member);
  if (found === undefined) {
    run.set(member, 'changed', member.failure);
    return undefined;
  }
  try {
    return { found, payload: requireRedrivable(context, found, { notDone: false }) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    run.set(member, found.record.unknown ? 'unknown' : 'notRedrivable', found);
    return undefined;
  }
}

class GroupRedrive {
  private readonly pending = new Map<Failure, { readonly found: FoundRecord; readonly key: AuditKey }>();

  constructor(
    private readonly context: GroupContext,
    private readonly of: Run,
    private readonly ways: RedriveAccess,
    private readonly actor: string,
  ) {}

  async run(rate: number): Promise<Verdict> {
    const { context, of, pending } = this;
    const verdict = await this.probe(rate);
    if (verdict !== 'ended') return verdict;
    await context.wait(1 / rate);
    const rest = of.target.members.filter((member) => !of.has(member));
    const ended = await atRate(
      portionsOf(rest, 1),
      { ...context, rate },
      async ([member]): Promise<Verdict | number> => {
        const sent = member ? await this.sendIfPossible(member) : false;
        if (of.reached % REPORT_INTERVAL === 0) this.tell();
        if (pending.size >= IN_FLIGHT) await this.settle(IN_FLIGHT - 1);
        return pending.size >= IN_FLIGHT && !context.stopped() ? 'slow' : Number(sent);
      },
    );
    if (ended !== undefined && ended !== 'stopped') return ended;
    await this.settle(0);
    return context.stopped() ? 'stopped' : 'ended';
  }

  /** Sends the first message of each consumer that can be sent, and waits for their results. @returns `ended` if all are good */
  private async probe(rate: number): Promise<Verdict> {
    const { context, of } = this;
    const byConsumer = [...groupBy(of.target.members, ({ cause }) => `${cause.service}/${cause.consumer}`).values()];
    let probes = 0;
    const verdict = await atRate(
      portionsOf(byConsumer, 1),
      { ...context, rate },
      async ([members = []]): Promise<Verdict | number> => {
        for (const member of members) {
          if (context.stopped()) break;
          if (!(await this.sendIfPossible(member))) continue;
          probes++;
          return 1;
        }
        return 0;
      },
    );
    if (verdict !== undefined) {
      await this.settle(0);
      return verdict;
    }
    if (probes === 0) return 'ended';
    const are =
      probes === 1
        ? 'the first one is sent as a probe'
        : `one message of each of ${probes} consumers is sent as a probe`;
    context.say(
      `${of.shortId}: ${are}; waits up to ${MAX_WAIT_SECONDS} s for ${probes === 1 ? 'its result' : 'their results'}`,
    );
    await this.settle(0);
    if (of.count('failed again') > 0) return 'probe failed';
    if (this.pending.size === 0) return 'ended';
    return context.stopped() ? 'stopped' : 'probe pending';
  }

  /** @returns false if the failure is left out */
  private async sendIfPossible(member: Failure): Promise<boolean> {
    const one = await sendable(this.context, this.of, member);
    if (one) await this.send(member, one.found, one.payload);
    return one !== undefined;
  }

  private async send(member: Failure, found: FoundRecord, payload: string): Promise<void> {
    const { ways, actor, of } = this;
    const by = { actor, value: 'again', run: of.entry } as const;
    const { key, done } = await resendFailure(ways, found, payload, by);
    if (done === undefined) {
      of.set(member, 'pending', found);
      this.pending.set(member, { found, key });
      return;
    }
    of.set(member, done.result === 'processed' ? 'processed' : 'failed again', found);
    await recordResult(ways.documents, key, RESULT_WORDS[done.result]);
  }

  /** Waits until at most this many messages have no result, but no longer than for a single message. */
  private async settle(pending: number): Promise<void> {
    for (let waited = 0; this.pending.size > pending && waited < MAX_WAIT_SECONDS; waited += POLL_INTERVAL_SECONDS) {
      await this.context.wait(POLL_INTERVAL_SECONDS);
      await Promise.all([...this.pending.keys()].map((member) => this.look(member)));
      if (this.context.stopped()) return;
    }
  }

  private async look(member: Failure): Promise<void> {
    const sent = this.pending.get(member);
    if (!sent) return;
    const { documents } = this.ways;
    const { found, key } = sent;
    const now = await readRecord(documents, found.listener.service, found.record.pk);
    const result = findResult(now, found.record);
    if (result === undefined) return;
    this.pending.delete(member);
    const isOtherwise = result !== 'processed' && result !== 'failed again';
    this.of.set(member, isOtherwise ? 'ended otherwise' : result, { ...found, ...(now && { record: now }) });
    await recordResult(documents, key, result);
  }

  private tell(): void {
    const { of, pending } = this;
    const failed = of.count('failed again');
    const words = `, ${of.count('processed')} processed, ${failed} failed again, ${pending.size} without a result`;
    of.tell(this.context, words);
  }
}

/** Returns the result that the record of a sent message shows, if it shows one. A stored message is still pending. */
function findResult(now: ConsumerRecord | undefined, before: ConsumerRecord) {
  if (now === undefined) return 'ended';
  if (now.status === 'PROCESSED') return RESULT_WORDS.processed;
  if (now.status === 'DISCARDED') return 'discarded';
  if (now.status === 'REPEATED') return 'repeated';
  return now.status === 'FAILED' && failedAgain(before, now) ? RESULT_WORDS['failed-again'] : undefined;
}

const nameOf = ({ target }: Run): string => (target.what === 'cause' ? 'redriveCause' : 'redriveGroup');

const countsOf = (run: Run) => ({
  sent: run.count('processed', 'failed again', 'ended otherwise', 'pending'),
  processed: run.count('processed'),
  failedAgain: run.count('failed again'),
  pending: run.count('pending'),
  endedOtherwise: run.count('ended otherwise'),
  skipped: skippedOf(run),
  left: run.left,
});

const skippedOf = (run: Run) => ({
  unknown: run.count('unknown'),
  notRedrivable: run.count('notRedrivable'),
  changed: run.count('changed'),
});

function outcomeOf(context: GroupContext, run: Run, verdict: Verdict): Outcome {
  const counts = countsOf(run);
  const { sent, processed, failedAgain, pending, endedOtherwise, skipped, left } = counts;
  const undecided = skipped.unknown + skipped.notRedrivable;
  const otherwise = endedOtherwise > 0 ? `, ${endedOtherwise} ended otherwise` : '';
  return run.outcome({
    name: nameOf(run),
    result: verdict,
    exitCode: exitOf(verdict, { failed: failedAgain, pending: pending + left, undecided }),
    words: verdictWords(run, verdict, counts),
    lines: [
      `sent ${sent}: ${processed} processed, ${failedAgain} failed again, ${pending} without a result${otherwise}`,
      ...renderSkipped(skipped),
      ...counted([left, `not reached: ${left}`]),
    ],
    counts,
    next: nextOf(context, run, verdict),
  });
}

function verdictWords(
  run: Run,
  verdict: Verdict,
  { sent, failedAgain, pending, skipped }: ReturnType<typeof countsOf>,
) {
  const failed = run.first('failed again');
  const why = failed ? describeReason(failed.record) : '';
  switch (verdict) {
    case 'probe failed':
      return `stopped, since the probe failed again: ${why}`;
    case 'probe pending':
      return `stopped, since the probe has no result within ${MAX_WAIT_SECONDS} s: its consumer still tries it, or is behind`;
    case 'slow':
      return `stopped, since ${pending} messages have no result within ${MAX_WAIT_SECONDS} s: their consumer doesn't keep up`;
    case 'stopped':
      return 'stopped by you';
    case 'ended':
      if (failed) return `${failedAgain} of ${sent} failed again: ${why}`;
      if (pending > 0) return `${pending} of ${sent} have no result yet`;
      if (skipped.unknown + skipped.notRedrivable > 0) return 'done, but for those that need a decision';
      return sent === 0 ? 'nothing was left to send' : `done: all ${sent} were processed`;
  }
}

const renderSkipped = ({ unknown, notRedrivable, changed }: ReturnType<typeof skippedOf>): readonly string[] =>
  counted(
    [unknown, `skipped ${unknown}: they may have been processed before (unknown)`],
    [notRedrivable, `skipped ${notRedrivable}: they can't be redriven`],
    [changed, `skipped ${changed}: ended or failed again in the meantime`],
  );

function nextOf({ command, pageOn }: GroupContext, run: Run, verdict: Verdict) {
  const page = pageOn?.(run.target.trouble);
  const shown = (result: Result, why: string) => {
    const { listener, messageId } = run.first(result) ?? {};
    return listener && messageId ? [{ why, commands: [command('failures', 'show', listener.name, messageId)] }] : [];
  };
  const isMore = verdict !== 'probe failed' && run.count('pending') + run.left > 0;
  const next = [
    ...shown('failed again', page === undefined ? '' : ` (see ${page})`),
    ...(isMore ? [{ why: ', to continue', commands: [command('failures', 'redrive', ...run.option)] }] : []),
    ...shown('unknown', ', of those that may have been processed before'),
    ...shown('notRedrivable', ", of those that can't be redriven"),
  ];
  return next.length > 0 ? next : [{ why: '', commands: [command('failures', `${run.target.what}s`)] }];
}

async function dryRun(context: GroupContext, run: Run, rate: number): Promise<Outcome> {
  let count = 0;
  for (const member of run.target.members) if (await sendable(context, run, member)) count++;
  const skipped = skippedOf(run);
  const messages = `${pluralize(count, 'message')} to ${run.consumers.join(', ')}`;
  const probe = run.consumers.length === 1 ? 'the first one' : 'the first one of each';
  return run.outcome({
    name: nameOf(run),
    result: 'dry-run',
    exitCode: Exit.OK,
    words: `would send ${messages}, ${probe} as a probe, in about ${formatDuration(count / rate)}`,
    lines: [run.cause, ...renderSkipped(skipped)],
    counts: { sendable: count, skipped },
  });
}
