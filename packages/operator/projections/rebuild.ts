import type { RebuildAnswer } from '@orderly/kit/internal/projection/contract.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Interruption } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import type { ReportProgress } from '../cli/progress.js';
import type { CommandFormatter } from '../cli/text-format.js';
import { type DeployedProjection, describeCounts, describePhase, renderDifferences } from './projections.js';

/** Requested action on a projection. */
export interface RebuildOrder {
  readonly action: 'rebuild' | 'check' | 'discard' | 'dry-run';
}

/** Inputs of the command besides its projection. */
export interface RebuildContext extends Interruption {
  readonly command: CommandFormatter;
  readonly say: ReportProgress;
}

/** Number of items per call; a call is repeated after a crash. */
const PAGE_SIZE = 1_000;
/** Maximum number of consecutive failed calls; a page that meets a throttled table succeeds the next time. */
const MAX_ATTEMPTS = 3;
const PAUSE_SECONDS = 2;

type Rebuild = NonNullable<RebuildAnswer['rebuild']>;

/**
 * `projections rebuild`: starts a rebuild, or continues the one in progress, until it is complete or stopped.
 * Its state is in the service's table: the command may be killed, and run again from anywhere.
 * @throws {OperatorError} `refused` if there is nothing to discard, or if the rebuild in progress has another purpose
 */
export async function rebuild(
  projection: DeployedProjection,
  { action }: RebuildOrder,
  context: RebuildContext,
): Promise<Outcome> {
  const { name, ask } = projection;
  const before = await ask({ action: 'show' });
  const underWay = before.rebuild && before.rebuild.phase !== 'DONE' ? before.rebuild : undefined;
  checkOrder(name, action, underWay);
  if (action === 'dry-run') return dryRun(projection, before, underWay);
  if (action === 'discard') await ask({ action });
  if (!underWay) await ask({ action: 'begin', purpose: action === 'check' ? 'check' : 'switch' });
  return toOutcome(name, await runToEnd(projection, context), context.command);
}

function checkOrder(name: string, action: RebuildOrder['action'], underWay: Rebuild | undefined): void {
  const isCheck = underWay?.purpose === 'check';
  const own = (...flags: string[]) => ['projections', 'rebuild', name, ...flags];
  const same = own(...(isCheck ? ['--check'] : []));
  const refused = (why: string, next: readonly string[]) => new OperatorError('refused', `Not done: ${why}`, next);
  if (!underWay && action === 'discard') throw refused(`no rebuild of '${name}' is in progress.`, own());
  if (!underWay) return;
  if (action === 'discard' && underWay.phase === 'DELETE') {
    throw refused('it has switched already, and only deletes the old rows.', same);
  }
  if (action === 'rebuild' && isCheck) throw refused('a check of it is in progress.', same);
  if (action === 'check' && !isCheck) throw refused('a rebuild of it is in progress.', same);
}

async function runToEnd(
  { name, ask, commits }: DeployedProjection,
  { say, wait, stopped }: RebuildContext,
): Promise<RebuildAnswer> {
  const total = await commits();
  let answer = await ask({ action: 'show' });
  for (let failed = 0; answer.rebuild && answer.rebuild.phase !== 'DONE' && !stopped(); ) {
    say(`${name}: ${describeProgress(answer.rebuild, total)}`, completedShare(answer.rebuild, total));
    try {
      answer = await ask({ action: 'go-on', pageSize: PAGE_SIZE });
      failed = 0;
    } catch (error) {
      if (!(error instanceof OperatorError) || ++failed === MAX_ATTEMPTS) throw error;
      await wait(PAUSE_SECONDS);
    }
    if (answer.waitSeconds !== undefined) {
      say(`${name}: deletes the old rows in ${answer.waitSeconds} s, when no reader needs them any more`);
      await wait(answer.waitSeconds);
    }
  }
  return answer;
}

function describeProgress({ phase, counts }: Rebuild, total: number): string {
  switch (phase) {
    case 'REPLAY':
      return `replay: ${counts.commits} of about ${Math.max(total, counts.commits)} commits, ${counts.aggregates} aggregates`;
    case 'COMPARE':
      return `comparison: ${counts.compared} of about ${counts.aggregates} rows, ${counts.differences} different`;
    case 'DELETE':
    case 'DONE':
      return `deletion: ${counts.deleted} rows so far`;
  }
}

/** Returns the share of a phase that is done. */
function completedShare({ phase, counts }: Rebuild, total: number): number | undefined {
  if (phase === 'REPLAY') return counts.commits / Math.max(total, counts.commits, 1);
  return phase === 'COMPARE' ? counts.compared / Math.max(counts.aggregates, 1) : undefined;
}

async function dryRun(
  { name, commits }: DeployedProjection,
  { versions }: RebuildAnswer,
  underWay: Rebuild | undefined,
): Promise<Outcome> {
  const about = await commits();
  const would = underWay
    ? `would continue the ${describePhase(underWay)}`
    : `would build version ${versions.last + 1} from about ${about} commits, beside the current version ${versions.reads}`;
  return {
    exitCode: Exit.OK,
    text: `${name}: ${would}`,
    json: { rebuild: { projection: name, result: 'dry-run', commits: about, versions } },
  };
}

function toOutcome(name: string, answer: RebuildAnswer, command: CommandFormatter): Outcome {
  const { rebuild } = answer;
  if (!rebuild)
    throw new OperatorError('refused', `'${name}' has no rebuild in progress: expected the one that was started.`);
  const drifted = rebuild.purpose === 'check' && rebuild.counts.differences > 0;
  const result = rebuild.phase !== 'DONE' ? 'stopped' : drifted ? 'drifted' : 'done';
  const next = {
    done: [],
    drifted: ['', `next: ${command('projections', 'rebuild', name)}`],
    stopped: [
      '',
      `next: ${command('projections', 'rebuild', name, ...(rebuild.purpose === 'check' ? ['--check'] : []))}`,
    ],
  }[result];
  const isUnreadable = rebuild.differences.some(({ kind }) => kind === 'unreadable');
  const done = isUnreadable ? Exit.NEEDS_OPERATOR : Exit.OK;
  return {
    exitCode: { done, drifted: Exit.NEEDS_OPERATOR, stopped: Exit.PENDING }[result],
    text: [`${name}: ${describePhase(rebuild)}`, describeCounts(rebuild), ...renderDifferences(rebuild), ...next].join(
      '\n',
    ),
    json: { rebuild: { projection: name, result, ...answer } },
  };
}
