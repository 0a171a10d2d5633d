import { newId } from '@orderly/kit/internal/aws/ids.js';
import { type AuditKey, noteResult } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Interruption } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { duration, plural } from '../cli/text.js';
import { type FoundRecord, readRecord, reasonOf } from '../records/records.js';
import { LOOK_EVERY_SECONDS, WAIT_SECONDS } from '../records/send.js';
import { causeWords, shortened } from './failure-causes.js';
import { type FailureGroup, groupNamed, readGroups } from './failure-groups.js';
import { failedAgain, RESULT_WORDS, redrivable, sendAgain, type Ways } from './redrive.js';

/** A command over all failures of a group. */
export interface GroupRequest {
  /** Beginning of the group's id. */
  readonly group: string;
  /** Maximum number of messages per second. */
  readonly rate: number;
  readonly dryRun: boolean;
}

/** Context of such a command. */
export type GroupContext = Pick<
  CommandContext,
  'documents' | 'services' | 'command' | 'say' | 'actor' | 'clock' | 'reportOn' | 'pageOn'
> &
  Interruption;

/** Maximum number of messages without a result. Where consumers don't keep up, the command waits for them. */
const IN_FLIGHT = 25;
/** Number of messages after which progress is reported. */
export const REPORT_EVERY = 25;

/**
 * `failures redrive --group`: sends the failures of a group again, the oldest first. The first one is a probe: if it fails
 * again, no other is sent. Each message has its own entry in the audit log, and its own record says whether it was
 * processed: the command may be stopped at any moment and run again, and what was processed is not sent again.
 * @throws {OperatorError} `not-found`, or `refused` if several groups begin so
 */
export async function redriveGroup(context: GroupContext, request: GroupRequest, ways: Ways): Promise<Outcome> {
  const groups = await readGroups(context.documents, context.services, undefined);
  const group = groupNamed(groups, request.group);
  const shortId = shortened(
    group.id,
    groups.map(({ id }) => id),
  );
  if (request.dryRun) return dryRun(context, { group, shortId, rate: request.rate });
  const actor = await context.actor();
  const redrive = new GroupRedrive(context, { group, shortId, rate: request.rate, actor, ways });
  return outcomeOf(context, shortId, group, await redrive.run());
}

/** Why a failure is left out: it may have been done before, it can't be redriven, or it has ended or failed anew meanwhile. */
type Skip = 'unknown' | 'notRedrivable' | 'changed';

type Judged = { readonly found: FoundRecord; readonly payload: string } | { readonly skip: Skip };

/** Reads a failure, strongly consistent, and judges whether it may be sent again. */
async function judged(
  { documents, command, reportOn }: Pick<GroupContext, 'documents' | 'command' | 'reportOn'>,
  listed: FoundRecord,
): Promise<Judged> {
  const { listener, messageId } = listed;
  const record = await readRecord(documents, listener.service, listed.record.pk);
  if (record?.status !== 'FAILED' || failedAgain(listed.record, record)) return { skip: 'changed' };
  const found = { listener, messageId, record };
  try {
    const context = { command, ...(reportOn && { reportOn }) };
    return { found, payload: redrivable(context, found, { notDone: false }) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { skip: record.unknown ? 'unknown' : 'notRedrivable' };
  }
}

/** What came of a run. */
interface Report {
  readonly verdict: 'ended' | 'probe failed' | 'probe pending' | 'slow' | 'stopped';
  readonly sent: number;
  readonly processed: number;
  readonly failedAgain: readonly FoundRecord[];
  /** Without a result so far. */
  readonly pending: number;
  /** Ended by somebody else after they were sent. */
  readonly endedOtherwise: number;
  readonly skipped: Readonly<Record<Skip, readonly FoundRecord[]>>;
  /** Not reached. */
  readonly left: number;
}

/** One run over a group. */
class GroupRedrive {
  private at = 0;
  private sent = 0;
  private processed = 0;
  private endedOtherwise = 0;
  private readonly failedAgain: FoundRecord[] = [];
  private readonly pending = new Map<string, { readonly found: FoundRecord; readonly key: AuditKey }>();
  private readonly skipped = {
    unknown: [] as FoundRecord[],
    notRedrivable: [] as FoundRecord[],
    changed: [] as FoundRecord[],
  };
  private readonly runId: string;

  constructor(
    private readonly context: GroupContext,
    private readonly of: {
      readonly group: FailureGroup;
      readonly shortId: string;
      readonly rate: number;
      readonly actor: string;
      readonly ways: Ways;
    },
  ) {
    this.runId = newId(Date.parse(context.clock.now()));
  }

  async run(): Promise<Report> {
    const { say } = this.context;
    while (this.sent === 0 && (await this.next()));
    if (this.sent > 0) {
      say(`${this.of.shortId}: the first one is sent as a probe; waits up to ${WAIT_SECONDS} s for its result`);
      await this.settle(0);
      if (this.failedAgain.length > 0) return this.report('probe failed');
      if (this.pending.size > 0) return this.report(this.context.stopped() ? 'stopped' : 'probe pending');
    }
    while (await this.next()) {
      await this.context.wait(1 / this.of.rate);
      if (this.at % REPORT_EVERY === 0) this.tell();
      if (this.pending.size < IN_FLIGHT) continue;
      await this.settle(IN_FLIGHT - 1);
      if (this.pending.size >= IN_FLIGHT && !this.context.stopped()) return this.report('slow');
    }
    await this.settle(0);
    return this.report(this.context.stopped() ? 'stopped' : 'ended');
  }

  /** Sends the next failure, or skips it. @returns false if there is none, or the operator stops */
  private async next(): Promise<boolean> {
    const failure = this.of.group.failures[this.at];
    if (failure === undefined || this.context.stopped()) return false;
    this.at++;
    const one = await judged(this.context, failure);
    if ('skip' in one) this.skipped[one.skip].push(failure);
    else await this.send(one.found, one.payload);
    return true;
  }

  private async send(found: FoundRecord, payload: string): Promise<void> {
    const { actor, ways, group } = this.of;
    const run = { group: group.id, run: this.runId };
    const { key, done } = await sendAgain(ways, found, payload, { actor, value: 'again', run });
    this.sent++;
    if (done === undefined) {
      this.pending.set(found.record.pk, { found, key });
      return;
    }
    if (done.result === 'processed') this.processed++;
    else this.failedAgain.push(found);
    await noteResult(ways.documents, key, RESULT_WORDS[done.result]);
  }

  /** Waits until at most this many messages have no result, but no longer than for a single message. */
  private async settle(pending: number): Promise<void> {
    for (let waited = 0; this.pending.size > pending && waited < WAIT_SECONDS; waited += LOOK_EVERY_SECONDS) {
      await this.context.wait(LOOK_EVERY_SECONDS);
      await Promise.all([...this.pending.keys()].map((pk) => this.look(pk)));
      if (this.context.stopped()) return;
    }
  }

  private async look(pk: string): Promise<void> {
    const sent = this.pending.get(pk);
    if (!sent) return;
    const { documents } = this.of.ways;
    const now = await readRecord(documents, sent.found.listener.service, pk);
    const result = resultIn(now, sent.found);
    if (result === undefined) return;
    this.pending.delete(pk);
    if (result === 'processed') this.processed++;
    else if (result === 'failed again' && now) this.failedAgain.push({ ...sent.found, record: now });
    else this.endedOtherwise++;
    await noteResult(documents, sent.key, result);
  }

  private tell(): void {
    const { length } = this.of.group.failures;
    this.context.say(
      `${this.of.shortId}: ${this.at} of ${length}, ${this.processed} processed, ${this.failedAgain.length} failed again, ${this.pending.size} without a result`,
      this.at / length,
    );
  }

  private report(verdict: Report['verdict']): Report {
    const { sent, processed, failedAgain, pending, endedOtherwise, skipped } = this;
    const left = this.of.group.failures.length - this.at;
    return { verdict, sent, processed, failedAgain, pending: pending.size, endedOtherwise, skipped, left };
  }
}

/** Returns the result that the record of a sent message shows, if it shows one. A stored message is still pending. */
function resultIn(now: FoundRecord['record'] | undefined, before: FoundRecord): string | undefined {
  if (now === undefined) return 'ended';
  if (now.status === 'PROCESSED') return RESULT_WORDS.processed;
  if (now.status === 'DISCARDED' || now.status === 'REPEATED') return now.status.toLowerCase();
  return now.status === 'FAILED' && failedAgain(before.record, now) ? RESULT_WORDS['failed-again'] : undefined;
}

function exitOf({ verdict, failedAgain, pending, left, skipped }: Report): Exit {
  if (verdict === 'probe failed') return Exit.PROBE_FAILED;
  if (failedAgain.length > 0) return Exit.NEEDS_OPERATOR;
  if (pending > 0 || left > 0) return Exit.PENDING;
  return skipped.unknown.length + skipped.notRedrivable.length > 0 ? Exit.NEEDS_OPERATOR : Exit.OK;
}

function outcomeOf(context: GroupContext, shortId: string, group: FailureGroup, report: Report): Outcome {
  const { verdict, sent, processed, pending, endedOtherwise, skipped, left } = report;
  const next = nextOf(context, shortId, group, report);
  const counts = {
    unknown: skipped.unknown.length,
    notRedrivable: skipped.notRedrivable.length,
    changed: skipped.changed.length,
  };
  return {
    exitCode: exitOf(report),
    text: [
      `${shortId}: ${verdictWords(report)}`,
      `  sent ${sent}: ${processed} processed, ${report.failedAgain.length} failed again, ${pending} without a result${endedOtherwise > 0 ? `, ${endedOtherwise} ended otherwise` : ''}`,
      ...skippedLines(counts),
      ...(left > 0 ? [`  not reached: ${left}`] : []),
      '',
      ...next.map(({ why, words }) => `next${why}:\n  ${words}`),
    ].join('\n'),
    json: {
      redriveGroup: {
        group: group.id,
        cause: group.cause,
        result: verdict,
        ...{ sent, processed, failedAgain: report.failedAgain.length, pending, endedOtherwise, skipped: counts, left },
        next: next.map(({ words }) => words),
      },
    },
  };
}

function verdictWords({ verdict, sent, failedAgain, pending, skipped }: Report): string {
  const [failed] = failedAgain;
  switch (verdict) {
    case 'probe failed':
      return `stopped, since the probe failed again: ${failed ? reasonOf(failed.record) : ''}`;
    case 'probe pending':
      return `stopped, since the probe has no result within ${WAIT_SECONDS} s: its consumer still tries it, or is behind`;
    case 'slow':
      return `stopped, since ${pending} messages have no result within ${WAIT_SECONDS} s: their consumer doesn't keep up`;
    case 'stopped':
      return 'stopped by you';
    case 'ended':
      if (failed) return `${failedAgain.length} of ${sent} failed again: ${reasonOf(failed.record)}`;
      if (pending > 0) return `${pending} of ${sent} have no result yet`;
      if (skipped.unknown.length + skipped.notRedrivable.length > 0) return 'done, but for those that need a decision';
      return sent === 0 ? 'nothing was left to send' : `done: all ${sent} were processed`;
  }
}

const skippedLines = ({ unknown, notRedrivable, changed }: Readonly<Record<Skip, number>>): readonly string[] => [
  ...(unknown > 0 ? [`  skipped ${unknown}: they may have been processed before (unknown)`] : []),
  ...(notRedrivable > 0 ? [`  skipped ${notRedrivable}: they can't be redriven`] : []),
  ...(changed > 0 ? [`  skipped ${changed}: ended or failed again in the meantime`] : []),
];

/** Returns the next commands, the most urgent first. */
function nextOf(
  { command, pageOn }: GroupContext,
  shortId: string,
  { cause }: FailureGroup,
  { verdict, failedAgain, pending, left, skipped }: Report,
): readonly { readonly why: string; readonly words: string }[] {
  const show = ({ listener, messageId }: FoundRecord) => command('failures', 'show', listener.name, messageId);
  const page = pageOn?.({ what: 'failure', consumer: cause.consumer, error: cause.error });
  const [failed] = failedAgain;
  const [unknown] = skipped.unknown;
  const [notRedrivable] = skipped.notRedrivable;
  const next: { why: string; words: string }[] = [];
  if (failed) next.push({ why: page === undefined ? '' : ` (see ${page})`, words: show(failed) });
  if (verdict !== 'probe failed' && (pending > 0 || left > 0)) {
    next.push({ why: ', to continue', words: command('failures', 'redrive', '--group', shortId) });
  }
  if (unknown) next.push({ why: ', of those that may have been processed before', words: show(unknown) });
  if (notRedrivable) next.push({ why: ", of those that can't be redriven", words: show(notRedrivable) });
  return next.length > 0 ? next : [{ why: '', words: command('failures', 'groups') }];
}

async function dryRun(
  context: GroupContext,
  { group, shortId, rate }: { readonly group: FailureGroup; readonly shortId: string; readonly rate: number },
): Promise<Outcome> {
  const skipped = { unknown: 0, notRedrivable: 0, changed: 0 };
  let sendable = 0;
  for (const failure of group.failures) {
    const one = await judged(context, failure);
    if ('skip' in one) skipped[one.skip]++;
    else sendable++;
  }
  const takes = duration(sendable / rate);
  return {
    exitCode: Exit.OK,
    text: [
      `${shortId}: would send ${plural(sendable, 'message')} to ${group.cause.consumer}, the first one as a probe, in about ${takes}`,
      `  cause: ${causeWords(group.cause)}`,
      ...skippedLines(skipped),
    ].join('\n'),
    json: { redriveGroup: { group: group.id, cause: group.cause, result: 'dry-run', sendable, skipped } },
  };
}
