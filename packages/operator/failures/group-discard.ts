import { newId } from '@orderly/kit/internal/aws/ids.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { plural } from '../cli/text.js';
import { type FoundRecord, readRecord } from '../records/records.js';
import { discardFound } from './discard.js';
import { causeWords, shortened } from './failure-causes.js';
import { groupNamed, readGroups } from './failure-groups.js';
import { type GroupContext, type GroupRequest, REPORT_EVERY } from './group-redrive.js';
import { failedAgain } from './redrive.js';

/**
 * `failures discard --group`: discards the failures of a group, the oldest first. Each one is discarded in a transaction with
 * its entry in the audit log, so the command may be stopped at any moment and run again. What may not be discarded (the
 * timeout of a waiting saga, a window of messages) stays.
 * @throws {OperatorError} `not-found`, or `refused` if several groups begin so
 */
export async function discardGroup(
  context: GroupContext,
  request: GroupRequest & { readonly reason: string },
): Promise<Outcome> {
  const { documents, services, command, say, wait, stopped, actor, clock } = context;
  const { reason, rate, dryRun } = request;
  const groups = await readGroups(documents, services, undefined);
  const group = groupNamed(groups, request.group);
  const shortId = shortened(
    group.id,
    groups.map(({ id }) => id),
  );
  const run = { group: group.id, run: newId(Date.parse(clock.now())) };
  const refused: { readonly failure: FoundRecord; readonly why: string }[] = [];
  let discarded = 0;
  let changed = 0;
  let left = group.failures.length;
  for (const failure of group.failures) {
    if (stopped()) break;
    left--;
    const { listener, messageId } = failure;
    const record = await readRecord(documents, listener.service, failure.record.pk);
    if (record?.status !== 'FAILED' || failedAgain(failure.record, record)) {
      changed++;
      continue;
    }
    try {
      await discardFound({ documents, actor, clock }, { listener, messageId, record }, { reason, dryRun, run });
      discarded++;
    } catch (error) {
      if (!(error instanceof OperatorError) || error.code !== 'refused') throw error;
      refused.push({ failure, why: error.message });
    }
    if (dryRun) continue;
    if (discarded % REPORT_EVERY === 0)
      say(`${shortId}: ${discarded} of ${group.failures.length} discarded`, discarded / group.failures.length);
    if (left > 0) await wait(1 / rate);
  }
  const [first] = refused;
  const next = first
    ? command('failures', 'show', first.failure.listener.name, first.failure.messageId)
    : left > 0
      ? command('failures', 'discard', '--group', shortId, '--reason', reason)
      : command('failures', 'groups');
  const done = dryRun ? 'would be discarded' : 'discarded';
  return {
    exitCode: left > 0 ? Exit.PENDING : refused.length > 0 ? Exit.NEEDS_OPERATOR : Exit.OK,
    text: [
      `${shortId}: ${left > 0 ? 'stopped by you; ' : ''}${plural(discarded, 'failure')} ${done}: ${reason}`,
      `  cause: ${causeWords(group.cause)}`,
      ...(changed > 0 ? [`  skipped ${changed}: ended or failed again in the meantime`] : []),
      ...(first ? [`  refused ${refused.length}: ${first.why}`] : []),
      ...(left > 0 ? [`  not reached: ${left}`] : []),
      '',
      `next:\n  ${next}`,
    ].join('\n'),
    json: {
      discardGroup: {
        group: group.id,
        cause: group.cause,
        result: dryRun ? 'dry-run' : left > 0 ? 'stopped' : 'ended',
        ...{ discarded, changed, refused: refused.length, left },
        next: [next],
      },
    },
  };
}
