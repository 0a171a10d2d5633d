import { newId } from '@orderly/kit/internal/aws/ids.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Interruption } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { plural } from '../cli/text.js';
import { causeWords, groupIdOf, shortened } from '../failures/failure-causes.js';
import { groupNamed } from '../failures/failure-groups.js';
import type { GroupRequest } from '../failures/group-redrive.js';
import { type Send, WAIT_SECONDS } from '../records/send.js';
import { type Requested, requested, type SagaRequest } from './saga-command.js';
import { AT_ONCE, type Named, outcomeOf, type Report } from './saga-group-report.js';
import { isStuck, readIfReadable, readStuckGroups, type StuckSaga, stuckCause } from './saga-groups.js';
import { stuckSince } from './saga-words.js';

/** A request to all sagas of a group of stuck ones; `before` leaves out those that got stuck then or later. ISO 8601, UTC. */
export type SagaGroupRequest = GroupRequest &
  (
    | { readonly action: 'retry' }
    | { readonly action: 'resolve'; readonly note: string; readonly before?: string | undefined }
  );

type Context = Pick<
  CommandContext,
  'app' | 'documents' | 'services' | 'command' | 'say' | 'actor' | 'clock' | 'pageOn' | 'place' | 'confirm'
> &
  Interruption & { readonly send: Send };

/**
 * `sagas retry --group`, `sagas resolve --group`: does the same with all sagas of a group, the one that is stuck the longest
 * first. That one is a probe: if it is stuck again, no other is asked. Each saga has its own entry in the audit log. The
 * command may be stopped at any moment and run again, since a saga that has gone on is in the group no more.
 * A resolve says first how many there are, and asks.
 * @throws {OperatorError} `not-found`; `refused` if several groups begin so, or if nobody confirms a resolve
 */
export async function commandSagaGroup(context: Context, request: SagaGroupRequest): Promise<Outcome> {
  const { groups } = await readStuckGroups(context.documents, context.services, undefined);
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
    const asked = { action: request.action, again: againWords(request, shortId) };
    return outcomeOf(context, asked, run, await ran(context, request, run));
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
  const run = { group: group.id, run: newId(Date.parse(context.clock.now())) };
  const ask = (saga: StuckSaga) => asked(context, request, saga, run);
  const stuckAgain: Requested[] = [];
  const refused: Requested[] = [];
  const counts = { done: 0, pending: 0, changed: later };
  let at = 0;
  let isProbed = false;
  const report = (verdict: Report['verdict']): Report => ({
    verdict,
    ...counts,
    stuckAgain,
    refused,
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
      else if (one.result === 'failed') refused.push(one);
      else if (one.result !== 'processed') counts.pending++;
      else if (isStuck(one.now)) stuckAgain.push(one);
      else counts.done++;
    }
    const asking = results.filter((one) => one !== undefined);
    if (!isProbed && stuckAgain.length + refused.length > 0) return report('probe failed');
    if (counts.pending > 0 && stopped()) return report('stopped');
    if (!isProbed && counts.pending > 0) return report('probe pending');
    const isLeft = at < group.sagas.length;
    if (isLeft && asking.length > 0 && asking.every(({ result }) => result === 'sent' || result === 'unanswered'))
      return report('slow');
    isProbed ||= asking.length > 0;
    say(`${shortId}: ${at} of ${group.sagas.length}, ${counts.done} have gone on`, at / group.sagas.length);
    if (isLeft) await wait(some.length / request.rate);
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
  const saga = await readIfReadable(context.documents, listed.kind, listed.id);
  if ('why' in saga || !isStuck(saga) || groupIdOf(stuckCause(saga)) !== run.group) return undefined;
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

/** Returns the words of the same request to the group. */
const againWords = (request: SagaGroupRequest, shortId: string): readonly string[] => [
  ...['sagas', request.action, '--group', shortId],
  ...(request.action === 'resolve' && request.before !== undefined ? ['--before', request.before] : []),
  ...(request.action === 'resolve' ? ['--note', request.note] : []),
];
