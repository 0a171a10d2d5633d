import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { plural } from '../cli/text.js';
import { causeWords } from '../failures/failure-causes.js';
import { reasonOf } from '../records/records.js';
import { WAIT_SECONDS } from '../records/send.js';
import type { Requested } from './saga-command.js';
import { isStuck, type StuckGroup } from './saga-groups.js';
import { sagaWords } from './saga-words.js';

/** Sagas that are asked at the same time, once the first one has gone on. */
export const AT_ONCE = 10;

/** A group as a command goes through it. */
export interface Named {
  readonly group: StuckGroup;
  readonly shortId: string;
  /** Sagas of the group that got stuck too late for the request. */
  readonly later: number;
}

/** Outcome of a run. */
export interface Report {
  readonly verdict: 'ended' | 'probe failed' | 'probe pending' | 'slow' | 'stopped';
  /** Sagas that have gone on. */
  readonly done: number;
  /** Those that have got stuck again. */
  readonly stuckAgain: readonly Requested[];
  /** Those whose request was refused: each is a failure of its own. */
  readonly refused: readonly Requested[];
  /** Those without an answer so far. */
  readonly pending: number;
  /** Those that had gone on, or were stuck for another reason, before they were asked, and those that got stuck later. */
  readonly changed: number;
  /** Not reached. */
  readonly left: number;
}

/** Whether the same command finds more. If no saga has left the group, it would find the same ones. */
const isMore = ({ group }: Named, { done, pending }: Report): boolean => group.more && done + pending > 0;

function exitOf(named: Named, report: Report): Exit {
  const { verdict, stuckAgain, refused, pending, left } = report;
  if (verdict === 'probe failed') return Exit.PROBE_FAILED;
  if (stuckAgain.length + refused.length > 0) return Exit.NEEDS_OPERATOR;
  return pending > 0 || left > 0 || isMore(named, report) ? Exit.PENDING : Exit.OK;
}

/** @param request its action, and the words of the same request */
export function outcomeOf(
  { command, pageOn }: Pick<CommandContext, 'command' | 'pageOn'>,
  request: { readonly action: 'retry' | 'resolve'; readonly again: readonly string[] },
  named: Named,
  report: Report,
): Outcome {
  const { group, shortId } = named;
  const { verdict, done, stuckAgain, refused, pending, changed, left } = report;
  const [stuck] = stuckAgain;
  const next = nextOf(request.again, named, report).map((words) => command(...words));
  const page = stuck && isStuck(stuck.now) && pageOn?.({ what: 'stuck saga', reason: stuck.now.state.reason });
  return {
    exitCode: exitOf(named, report),
    text: [
      `${shortId}: ${verdictWords(named, report)}`,
      `  cause: ${causeWords(group.cause)}`,
      `  ${plural(done, 'saga')} went on, ${stuckAgain.length} stuck again, ${pending} without an answer`,
      ...(refused.length > 0 ? [`  refused: ${refused.length}; each request is a failure of its own`] : []),
      ...(changed > 0
        ? [`  skipped ${changed}: they went on, or got stuck again or for another reason, meanwhile`]
        : []),
      ...(left > 0 ? [`  not reached: ${left}`] : []),
      ...(group.more ? ['  more sagas are stuck than one command reads'] : []),
      '',
      `next${page ? ` (see ${page})` : ''}:`,
      ...next.map((words) => `  ${words}`),
    ].join('\n'),
    json: {
      [`${request.action}Group`]: {
        group: group.id,
        cause: group.cause,
        result: verdict,
        ...{ done, stuckAgain: stuckAgain.length, refused: refused.length, pending, changed, left, more: group.more },
        next,
      },
    },
  };
}

/** Returns the words of the next commands, the most urgent first. */
function nextOf(again: readonly string[], named: Named, report: Report): readonly (readonly string[])[] {
  const { stuckAgain, refused, pending, left } = report;
  const [stuck] = stuckAgain;
  const groups = ['failures', 'groups'];
  if (stuck) return [['sagas', 'show', stuck.now.id], ...(refused.length > 0 ? [groups] : [])];
  if (refused.length > 0) return [groups];
  if (left > 0 || isMore(named, report)) return [again];
  // Those that were asked are stuck no more, so they are in no group.
  return [pending > 0 ? ['sagas', 'list'] : groups];
}

function verdictWords(named: Named, report: Report): string {
  const { verdict, done, stuckAgain, refused, pending } = report;
  const [stuck] = stuckAgain;
  const [first] = refused;
  const why = first?.record ? reasonOf(first.record) : '';
  switch (verdict) {
    case 'probe failed':
      return `stopped at the first saga: ${stuck ? sagaWords(stuck.now) : `it refused: ${why}`}`;
    case 'probe pending':
      return `stopped, since the first saga has no answer within ${WAIT_SECONDS} s`;
    case 'slow':
      return `stopped, since ${AT_ONCE} sagas at a time have no answer within ${WAIT_SECONDS} s`;
    case 'stopped':
      return 'stopped by you';
    case 'ended':
      if (stuck) return `${stuckAgain.length} are stuck again: ${sagaWords(stuck.now)}`;
      if (first) return `${refused.length} refused: ${why}`;
      if (pending > 0) return `${pending} have no answer yet`;
      if (done === 0) return 'nothing was left to do';
      return isMore(named, report) ? `${done} went on, and there may be more` : `done: all ${done} went on`;
  }
}
