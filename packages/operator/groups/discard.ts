import { atRate, portionsOf } from '../cli/at-rate.js';
import type { CommandContext } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import { runInterruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import { discardFailure } from '../failures/discard.js';
import { type Failure, readFailureGroups, stillFailed } from './failures.js';
import {
  atConsumers,
  counted,
  exitOf,
  type GroupContext,
  type GroupRequest,
  GroupRun,
  REPORT_INTERVAL,
} from './run.js';

type DiscardRequest = GroupRequest & { readonly reason: string };

/** `failures discard --group` and `--cause`, until Ctrl-C. */
export const discardAll = (context: CommandContext, request: DiscardRequest): Promise<Outcome> =>
  runInterruptible((interruption) => discardGroup({ ...context, ...interruption }, request));

/**
 * Discards the failures of a group, or of a cause at all consumers, the oldest first, each in a transaction with its entry in the audit log. What may not be
 * discarded (the timeout of a waiting saga, a window of messages) stays.
 * @throws {OperatorError} `not-found`, or `refused` if several groups, or causes, begin so
 */
export async function discardGroup(context: GroupContext, request: DiscardRequest): Promise<Outcome> {
  const { documents, command } = context;
  const { reason, dryRun } = request;
  const groups = await readFailureGroups(context);
  const run = new GroupRun<Failure, 'discarded' | 'refused' | 'changed', { show: readonly string[]; why?: string }>(
    groups,
    request,
    context,
  );
  await atRate(portionsOf(run.target.members, 1), { ...context, rate: request.rate }, async ([member]) => {
    const found = member && (await stillFailed(documents, member));
    if (!found) {
      if (member) run.set(member, 'changed', member);
      return 0;
    }
    try {
      await discardFailure(context, found, { reason, dryRun, run: run.entry });
      run.set(member, 'discarded', member);
    } catch (error) {
      if (!(error instanceof OperatorError) || error.code !== 'refused') throw error;
      run.set(member, 'refused', { show: [...member.show, member.id], why: error.message });
    }
    if (dryRun) return 0;
    if (run.reached % REPORT_INTERVAL === 0) run.tell(context, ' discarded');
    return 1;
  });
  const { left } = run;
  const first = run.first('refused');
  const counts = {
    discarded: run.count('discarded'),
    changed: run.count('changed'),
    refused: run.count('refused'),
    left,
  };
  const { discarded, changed, refused } = counts;
  const next = first
    ? command(...first.show)
    : left > 0
      ? command('failures', 'discard', ...run.option, '--reason', reason)
      : command('failures', `${run.target.what}s`);
  const stopped = left > 0 ? 'stopped by you; ' : '';
  return run.outcome({
    name: run.target.what === 'cause' ? 'discardCause' : 'discardGroup',
    result: dryRun ? 'dry-run' : left > 0 ? 'stopped' : 'ended',
    exitCode: exitOf('ended', { failed: 0, pending: left, undecided: refused }),
    words: `${stopped}${pluralize(discarded, 'failure')}${atConsumers(run)} ${dryRun ? 'would be discarded' : 'discarded'}: ${reason}`,
    lines: [
      run.cause,
      ...counted(
        [changed, `skipped ${changed}: ended or failed again in the meantime`],
        [refused, `refused ${refused}: ${first?.why}`],
        [left, `not reached: ${left}`],
      ),
    ],
    counts,
    next: [{ why: '', commands: [next] }],
  });
}
