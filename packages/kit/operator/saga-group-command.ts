import { newId } from '../aws/ids.js';
import type { CommandContext } from './context.js';
import { Exit, OperatorError } from './errors.js';
import { causeWords, groupIdOf, shortened } from './failure-causes.js';
import { groupNamed } from './failure-groups.js';
import type { GroupRequest } from './group-redrive.js';
import type { Interruption } from './interruptible.js';
import type { Outcome } from './outcome.js';
import { type Requested, requested, type SagaRequest } from './saga-command.js';
import { isStuck, readStuckGroups, type StuckGroup, type StuckSaga, stuckCause } from './saga-groups.js';
import { sagaWords, stuckSince } from './saga-words.js';
import { readSaga } from './sagas.js';
import { type Send, WAIT_SECONDS } from './send.js';
import { plural } from './text.js';

/** A request to all sagas of a group of stuck ones; `before` leaves out those that got stuck then or later. ISO 8601, UTC. */
export type SagaGroupRequest = GroupRequest &
  (
    | { readonly action: 'retry' }
    | { readonly action: 'resolve'; readonly note: string; readonly before?: string | undefined }
  );

type Context = Pick<
  CommandContext,
  'app' | 'documents' | 'services' | 'command' | 'say' | 'actor' | 'pageOn' | 'place' | 'confirm'
> &
  Interruption & { readonly send: Send };

/** Sagas that are asked at the same time, once the first one has gone on. */
const AT_ONCE = 10;

/** A group as a command goes through it. */
interface Named {
  readonly group: StuckGroup;
  readonly shortId: string;
  /** Sagas of the group that got stuck too late for the request. */
  readonly later: number;
}

/** What came of a run. */
interface Report {
  readonly verdict: 'ended' | 'probe failed' | 'probe pending' | 'slow' | 'stopped';
  /** Sagas that have gone on. */
  readonly done: number;
  /** Those that are stuck again, or have refused. */
  readonly stuckAgain: readonly Requested[];
  /** Those without an answer so far. */
  readonly pending: number;
  /** Those that had gone on, or were stuck for another reason, before they were asked, and those that got stuck later. */
  readonly changed: number;
  /** Not reached. */
  readonly left: number;
}

/**
 * `sagas retry --group`, `sagas resolve --group`: does the same with all sagas of a group, the one that is stuck the longest
 * first. That one is a probe: if it is stuck again, no other is asked. Each saga has its own entry in the audit log. The
 * command may be stopped at any moment and run again, since a saga that has gone on is in the group no more.
 * A resolve says first how many there are, and asks.
 * @throws {OperatorError} `not-found`; `refused` if several groups begin so, or if nobody confirms a resolve
 */
export async function commandSagaGroup(context: Context, request: SagaGroupRequest): Promise<Outcome> {
  const groups = await readStuckGroups(context.documents, context.services, undefined);
  const named = groupNamed(groups, request.group);
  const before = request.action === 'resolve' ? request.before : undefined;
  const sagas = named.sagas.filter((saga) => before === undefined || stuckSince(saga) < before);
  const group = { ...named, sagas };
  const ids = groups.map(({ id }) => id);
  const shortId = shortened(group.id, ids);
  if (request.action === 'resolve' && !request.dryRun) {
    const many = plural(group.sagas.length, 'saga');
    await context.confirm?.(`sagas resolve of ${many} of group ${shortId} in ${context.place ?? 'this environment'}`);
  }
  if (!request.dryRun) {
    const run: Named = { group, shortId, later: named.sagas.length - sagas.length };
    return outcomeOf(context, request, run, await ran(context, request, run));
  }
  const does = request.action === 'retry' ? 'send the step again of' : 'record as compensated by hand the step of';
  return {
    exitCode: Exit.OK,
    text: `${shortId}: would ${does} ${plural(group.sagas.length, 'saga')}, the first one as a probe\n  cause: ${causeWords(group.cause)}`,
    json: {
      [`${request.action}Group`]: { group: group.id, cause: group.cause, result: 'dry-run', sagas: group.sagas.length },
    },
  };
}

async function ran(context: Context, request: SagaGroupRequest, { group, shortId, later }: Named): Promise<Report> {
  const { say, wait, stopped } = context;
  const run = { group: group.id, run: newId() };
  const ask = (saga: StuckSaga) => asked(context, request, saga, run);
  const stuckAgain: Requested[] = [];
  const counts = { done: 0, pending: 0, changed: later };
  let at = 0;
  let isProbed = false;
  const report = (verdict: Report['verdict']): Report => ({
    verdict,
    ...counts,
    stuckAgain,
    left: group.sagas.length - at,
  });
  while (at < group.sagas.length && !stopped()) {
    const some = group.sagas.slice(at, at + (isProbed ? AT_ONCE : 1));
    if (!isProbed)
      say(
        `${shortId}: the first of ${plural(group.sagas.length, 'saga')} is a probe; waits up to ${WAIT_SECONDS} s for what comes of it`,
      );
    const results = await Promise.all(some.map(ask));
    at += some.length;
    for (const one of results) {
      if (one === undefined) counts.changed++;
      else if (one.result === 'failed' || isStuck(one.now)) stuckAgain.push(one);
      else if (one.result === 'processed') counts.done++;
      else counts.pending++;
    }
    const asking = results.filter((one) => one !== undefined);
    if (!isProbed && stuckAgain.length > 0) return report('probe failed');
    if (counts.pending > 0 && stopped()) return report('stopped');
    if (!isProbed && counts.pending > 0) return report('probe pending');
    if (asking.length > 0 && asking.every(({ result }) => result === 'sent' || result === 'unanswered'))
      return report('slow');
    isProbed ||= asking.length > 0;
    say(`${shortId}: ${at} of ${group.sagas.length}, ${counts.done} have gone on`, at / group.sagas.length);
    if (at < group.sagas.length) await wait(some.length / request.rate);
  }
  return report(at < group.sagas.length ? 'stopped' : 'ended');
}

/** @returns what came of it; `undefined` if the saga isn't stuck for this reason, or since this time, any more */
async function asked(
  context: Context,
  request: SagaGroupRequest,
  listed: StuckSaga,
  run: { readonly group: string; readonly run: string },
): Promise<Requested | undefined> {
  const saga = await readSaga(context.documents, listed.kind, listed.id);
  if (!isStuck(saga) || groupIdOf(stuckCause(saga)) !== run.group) return undefined;
  // Stuck anew: whatever the operator has found out, or done by hand, was about the time before.
  if (stuckSince(saga) !== stuckSince(listed)) return undefined;
  const one: SagaRequest =
    request.action === 'retry'
      ? { action: 'retry', sagaId: saga.id, dryRun: false }
      : { action: 'resolve', sagaId: saga.id, note: request.note, dryRun: false };
  try {
    return await requested(context, saga, one, run);
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'refused') return undefined;
    throw error;
  }
}

function exitOf({ verdict, stuckAgain, pending, left }: Report): Exit {
  if (verdict === 'probe failed') return Exit.PROBE_FAILED;
  if (stuckAgain.length > 0) return Exit.NEEDS_OPERATOR;
  return pending > 0 || left > 0 ? Exit.PENDING : Exit.OK;
}

function outcomeOf(
  { command, pageOn }: Context,
  request: SagaGroupRequest,
  { group, shortId }: Named,
  report: Report,
): Outcome {
  const { verdict, done, stuckAgain, pending, changed, left } = report;
  const [stuck] = stuckAgain;
  const note =
    request.action === 'resolve'
      ? [...(request.before === undefined ? [] : ['--before', request.before]), '--note', request.note]
      : [];
  const next = stuck
    ? command('sagas', 'show', stuck.now.id)
    : pending > 0 || left > 0
      ? command('sagas', request.action, '--group', shortId, ...note)
      : command('failures', 'groups');
  const page = stuck && isStuck(stuck.now) && pageOn?.({ what: 'stuck saga', reason: stuck.now.state.reason });
  return {
    exitCode: exitOf(report),
    text: [
      `${shortId}: ${verdictWords(report)}`,
      `  cause: ${causeWords(group.cause)}`,
      `  ${plural(done, 'saga')} went on, ${stuckAgain.length} stuck again, ${pending} without an answer`,
      ...(changed > 0
        ? [`  skipped ${changed}: they went on, or got stuck again or for another reason, meanwhile`]
        : []),
      ...(left > 0 ? [`  not reached: ${left}`] : []),
      '',
      `next${page ? ` (see ${page})` : ''}:\n  ${next}`,
    ].join('\n'),
    json: {
      [`${request.action}Group`]: {
        group: group.id,
        cause: group.cause,
        result: verdict,
        ...{ done, stuckAgain: stuckAgain.length, pending, changed, left },
        next: [next],
      },
    },
  };
}

function verdictWords({ verdict, done, stuckAgain, pending }: Report): string {
  const [stuck] = stuckAgain;
  switch (verdict) {
    case 'probe failed':
      return `stopped at the first saga: ${stuck ? sagaWords(stuck.now) : ''}`;
    case 'probe pending':
      return `stopped, since the first saga has no answer within ${WAIT_SECONDS} s`;
    case 'slow':
      return `stopped, since ${AT_ONCE} sagas at a time have no answer within ${WAIT_SECONDS} s`;
    case 'stopped':
      return 'stopped by you';
    case 'ended':
      if (stuck) return `${stuckAgain.length} are stuck again: ${sagaWords(stuck.now)}`;
      if (pending > 0) return `${pending} have no answer yet`;
      return done === 0 ? 'nothing was left to do' : `done: all ${done} went on`;
  }
}
