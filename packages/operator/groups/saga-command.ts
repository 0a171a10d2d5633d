import { atRate } from '../cli/at-rate.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import { runInterruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { describeReason } from '../records/consumer-records.js';
import { MAX_WAIT_SECONDS, type SendMessage, withSender } from '../records/message-sender.js';
import { requestSaga, type SagaRequestResult } from '../sagas/saga-command.js';
import { describeSaga, isStuck } from '../sagas/saga-text.js';
import { counted, exitOf, type GroupContext, type GroupRequest, GroupRun, type Verdict } from './run.js';
import { readStuckGroups, type Stuck, stillStuck } from './sagas.js';

/** A request to all sagas of a group of stuck ones; `before` leaves out those that got stuck then or later. ISO 8601, UTC. */
export type SagaGroupRequest = GroupRequest &
  (
    | { readonly action: 'retry' }
    | { readonly action: 'resolve'; readonly note: string; readonly before?: string | undefined }
  );

type Context = GroupContext & Pick<CommandContext, 'app' | 'place' | 'confirm'> & { readonly send: SendMessage };

/**
 * Fate of a saga: it continues (`done`), is stuck again, refuses the request (a failure of its own), or doesn't answer
 * yet; `changed` was not stuck any more.
 */
type Result = 'done' | 'stuckAgain' | 'refused' | 'pending' | 'changed';

type Run = GroupRun<Stuck, Result, SagaRequestResult | undefined>;

/** Sagas that are asked at the same time, once the first one has gone on. */
const CONCURRENCY = 10;

/** `sagas retry --group`, `sagas resolve --group` at an endpoint, until Ctrl-C. */
export const commandAllSagas = (context: CommandContext, request: SagaGroupRequest): Promise<Outcome> =>
  runInterruptible((interruption) =>
    withSender(context.endpoint, (send) => commandSagaGroup({ ...context, ...interruption, send }, request)),
  );

/**
 * Does the same with all sagas of a group, the one that is stuck the longest first. That one is a probe: if it is stuck again,
 * no other is asked. A resolve says first how many there are, and asks.
 * @throws {OperatorError} `not-found`; `refused` if several groups begin so, or if nobody confirms a resolve
 */
export async function commandSagaGroup(context: Context, request: SagaGroupRequest): Promise<Outcome> {
  const { action, dryRun } = request;
  const before = action === 'resolve' ? request.before : undefined;
  const { groups } = await readStuckGroups(context.documents, context.services);
  const inTime = groups.map((group) => ({
    ...group,
    members: group.members.filter(({ at }) => before === undefined || at < before),
  }));
  const run: Run = new GroupRun(inTime, request, context);
  const { members, id } = run.target;
  const sagas = pluralize(members.length, 'saga');
  if (dryRun) {
    const does = action === 'retry' ? 'send the step again of' : 'record as compensated by hand the step of';
    return run.outcome({
      name: `${action}Group`,
      result: 'dry-run',
      exitCode: Exit.OK,
      words: `would ${does} ${sagas}, the first one as a probe`,
      lines: [run.cause],
      counts: { sagas: members.length },
    });
  }
  if (action === 'resolve')
    await context.confirm?.(
      `sagas resolve of ${sagas} of group ${run.shortId} in ${context.place ?? 'this environment'}`,
    );
  const verdict = await runGroup(context, request, run);
  const later = (groups.find((group) => group.id === id)?.members.length ?? 0) - members.length;
  return outcomeOf(context, request, { run, verdict, later });
}

async function runGroup(context: Context, request: SagaGroupRequest, run: Run): Promise<Verdict> {
  const { say, stopped } = context;
  const { members } = run.target;
  let isProbed = false;
  function* portions() {
    while (run.left > 0) yield members.slice(run.reached, run.reached + (isProbed ? CONCURRENCY : 1));
  }
  const verdict = await atRate(
    portions(),
    { ...context, rate: request.rate },
    async (some): Promise<Verdict | number> => {
      if (!isProbed)
        say(
          `${run.shortId}: the first of ${pluralize(members.length, 'saga')} is a probe; waits up to ${MAX_WAIT_SECONDS} s for what comes of it`,
        );
      const answers = await Promise.all(some.map((saga) => requestIfStuck(context, request, saga, run)));
      const results = answers.map(resultOf);
      for (const [at, saga] of some.entries()) run.set(saga, results[at] ?? 'changed', answers[at]);
      const were = results.filter((result) => result !== 'changed');
      const isPending = run.count('pending') > 0;
      if (!isProbed && run.count('stuckAgain', 'refused') > 0) return 'probe failed';
      if (isPending && stopped()) return 'stopped';
      if (!isProbed && isPending) return 'probe pending';
      if (run.left > 0 && were.length > 0 && were.every((result) => result === 'pending')) return 'slow';
      isProbed ||= were.length > 0;
      run.tell(context, `, ${run.count('done')} have gone on`);
      return were.length;
    },
  );
  return verdict ?? 'ended';
}

function resultOf(answer: SagaRequestResult | undefined): Result {
  if (answer === undefined) return 'changed';
  if (answer.result === 'failed') return 'refused';
  if (answer.result !== 'processed') return 'pending';
  return isStuck(answer.now) ? 'stuckAgain' : 'done';
}

/** @returns what came of it; `undefined` if the saga isn't stuck for this reason, or since this time, any more */
async function requestIfStuck(
  context: Context,
  request: SagaGroupRequest,
  listed: Stuck,
  { entry }: Run,
): Promise<SagaRequestResult | undefined> {
  const saga = await stillStuck(context.documents, listed);
  if (saga === undefined) return undefined;
  try {
    return await requestSaga(context, saga, { ...request, sagaId: saga.id }, entry);
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'refused') return undefined;
    throw error;
  }
}

/** @param later sagas of the group that got stuck too late for the request */
function outcomeOf(
  { command, pageOn }: Context,
  request: SagaGroupRequest,
  { run, verdict, later }: { readonly run: Run; readonly verdict: Verdict; readonly later: number },
): Outcome {
  const { target, left } = run;
  const counts = {
    done: run.count('done'),
    stuckAgain: run.count('stuckAgain'),
    refused: run.count('refused'),
    pending: run.count('pending'),
    changed: run.count('changed') + later,
    left,
    more: target.more,
  };
  const { done, stuckAgain, refused, pending, changed } = counts;
  const stuck = run.first('stuckAgain')?.now;
  // If no saga has left the group, the same command would find the same ones.
  const isMore = target.more && done + pending > 0;
  const page = stuck && isStuck(stuck) && pageOn?.({ what: 'stuck saga', reason: stuck.state.reason });
  return run.outcome({
    name: `${request.action}Group`,
    result: verdict,
    exitCode: exitOf(verdict, { failed: stuckAgain + refused, pending: pending + left + Number(isMore) }),
    words: verdictWords(run, verdict, { ...counts, isMore }),
    lines: [
      run.cause,
      `${pluralize(done, 'saga')} went on, ${stuckAgain} stuck again, ${pending} without an answer`,
      ...counted(
        [refused, `refused: ${refused}; each request is a failure of its own`],
        [changed, `skipped ${changed}: they went on, or got stuck again or for another reason, meanwhile`],
        [left, `not reached: ${left}`],
        [Number(target.more), 'more sagas are stuck than one command reads'],
      ),
    ],
    counts,
    next: [{ why: page ? ` (see ${page})` : '', commands: next().map((words) => command(...words)) }],
  });

  function next(): readonly (readonly string[])[] {
    const groups = ['failures', 'groups'];
    if (stuck) return [['sagas', 'show', stuck.id], ...(refused > 0 ? [groups] : [])];
    if (refused > 0) return [groups];
    if (left > 0 || isMore) return [repeatWords(request, run.shortId)];
    // Those that were asked are stuck no more, so they are in no group.
    return [pending > 0 ? ['sagas', 'list'] : groups];
  }
}

/** Returns the words of the same request to the group. */
const repeatWords = (request: SagaGroupRequest, shortId: string): readonly string[] => [
  ...['sagas', request.action, '--group', shortId],
  ...(request.action === 'resolve' && request.before !== undefined ? ['--before', request.before] : []),
  ...(request.action === 'resolve' ? ['--note', request.note] : []),
];

function verdictWords(
  run: Run,
  verdict: Verdict,
  {
    done,
    stuckAgain,
    refused,
    pending,
    isMore,
  }: Record<'done' | 'stuckAgain' | 'refused' | 'pending', number> & { readonly isMore: boolean },
): string {
  const stuck = run.first('stuckAgain')?.now;
  const record = run.first('refused')?.record;
  const why = record ? describeReason(record) : '';
  switch (verdict) {
    case 'probe failed':
      return `stopped at the first saga: ${stuck ? describeSaga(stuck) : `it refused: ${why}`}`;
    case 'probe pending':
      return `stopped, since the first saga has no answer within ${MAX_WAIT_SECONDS} s`;
    case 'slow':
      return `stopped, since ${CONCURRENCY} sagas at a time have no answer within ${MAX_WAIT_SECONDS} s`;
    case 'stopped':
      return 'stopped by you';
    case 'ended':
      if (stuck) return `${stuckAgain} are stuck again: ${describeSaga(stuck)}`;
      if (refused > 0) return `${refused} refused: ${why}`;
      if (pending > 0) return `${pending} have no answer yet`;
      if (done === 0) return 'nothing was left to do';
      return isMore ? `${done} went on, and there may be more` : `done: all ${done} went on`;
  }
}
