import type { Context } from 'aws-lambda';
import { clock, secondsBetween } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import { mapConcurrently } from '../aws/map-concurrently.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import { requireEnv } from '../aws/read-environment.js';
import { describeError, logAndSanitize, logger } from '../aws/telemetry.js';
import { AggregateLoader } from './aggregate-loader.js';
import { Checkpoint, CheckpointMoved, MAX_NAMED_DIFFERENCES } from './checkpoint.js';
import { comparePage, readRow } from './compare.js';
import type { Rebuild, RebuildAnswer, RebuildRequest } from './contract.js';
import { type Projection, readVersions } from './projection.js';
import { CONCURRENCY, deletePage, replayPage } from './replay.js';

/**
 * Milliseconds kept free before the function's timeout. It begins no page in this time. So a call works for a third of
 * its time and then reports its progress.
 */
const RESERVE_MS = 20_000;
/**
 * Seconds before old rows are deleted. By then, every function that read the pointer before its change has ended,
 * because these functions have a timeout of 10 s.
 */
const DRAIN_SECONDS = 60;

/**
 * Creates the function that rebuilds a projection. It builds a new version beside the current one:
 *
 *     begin     a new version is named in the pointer: consumers put each row into both
 *     REPLAY    the feed's aggregates, each loaded once, into the new version
 *     COMPARE   every row of both, byte for byte; rows that the feed didn't return are put too, and so is the row of an
 *               aggregate that can't be loaded, as it was
 *     switch    the pointer names the new version, and no other, in one conditional transaction
 *     DELETE    a minute later: rows of earlier versions
 *
 * Each call works for some seconds and saves a checkpoint after each page, so it may end anywhere. Every step is
 * repeatable: two runners at once do some steps twice, but do nothing wrong.
 * @example
 * export const handler = rebuilder(orderList);
 * @throws {Error} if a table cannot be reached. The checkpoint stays, and nothing is switched.
 */
export function rebuilder(
  projection: Projection,
): (request: RebuildRequest, context: Context) => Promise<RebuildAnswer> {
  const checkpoint = new Checkpoint(projection);
  const loading = new AggregateLoader(projection, requireEnv(Env.RECORDS));
  return async (request, context) => {
    const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MS;
    try {
      if (request.action === 'begin') await checkpoint.begin(request.purpose);
      if (request.action === 'discard') await retryOnConflict(() => discard(checkpoint));
      if (request.action === 'go-on')
        await continueRebuild({ projection, loading, checkpoint }, request.pageSize, hasTime);
    } catch (error) {
      throw logAndSanitize('the rebuild stopped', error, { projection: projection.name });
    }
    const [versions, rebuild] = [await readVersions(projection, 'newest'), await checkpoint.read()];
    if (request.action === 'shown')
      return { versions, shown: await readShownVersions(projection, request.ids, versions.reads) };
    const waitSeconds = rebuild ? secondsToWait(rebuild) : 0;
    logger.info('rebuild', { projection: projection.name, action: request.action, phase: rebuild?.phase });
    return { versions, ...(rebuild ? { rebuild } : {}), ...(waitSeconds > 0 ? { waitSeconds } : {}) };
  };
}

/** Returns the versions of aggregates that a version of the projection shows. @see RebuildAnswer.shown */
async function readShownVersions(
  projection: Projection,
  ids: readonly string[],
  reads: number,
): Promise<Readonly<Record<string, number>>> {
  const shown = new Map<string, number>();
  await mapConcurrently(ids, CONCURRENCY, async (id) => {
    try {
      const loaded = await projection.store.load(id);
      const row = projection.row(loaded);
      shown.set(id, row ? ((await readRow(projection, row, reads))?.version ?? 0) : loaded.version);
    } catch (error) {
      // One aggregate that can't be read must not hide the others.
      logger.error('an aggregate could not be read', { projection: projection.name, ...describeError(error) });
      shown.set(id, 0);
    }
  });
  return Object.fromEntries(shown);
}

/** Parts of a projection's rebuild. */
interface RebuildContext {
  readonly projection: Projection;
  readonly loading: AggregateLoader;
  readonly checkpoint: Checkpoint;
}

async function continueRebuild(parts: RebuildContext, pageSize: number, hasTimeLeft: () => boolean): Promise<void> {
  const { checkpoint } = parts;
  let rebuild = await checkpoint.read();
  while (rebuild && rebuild.phase !== 'DONE' && secondsToWait(rebuild) === 0 && hasTimeLeft()) {
    try {
      rebuild = await runPage(parts, rebuild, pageSize);
    } catch (error) {
      if (!(error instanceof CheckpointMoved)) throw error;
      rebuild = await checkpoint.read();
    }
  }
}

/** Works on one page of the current phase and saves the checkpoint. */
async function runPage(
  { projection, loading, checkpoint }: RebuildContext,
  rebuild: Rebuild,
  pageSize: number,
): Promise<Rebuild> {
  const { phase, position, builds, replaces, keeps = replaces, counts, differences } = rebuild;
  if (phase === 'REPLAY') {
    const { position: next, done } = await replayPage(projection, loading, builds, position, pageSize);
    const after: Rebuild = {
      ...rebuild,
      counts: {
        ...counts,
        commits: counts.commits + done.commits,
        aggregates: counts.aggregates + done.aggregates,
        differences: counts.differences + done.unreadable.length,
      },
      differences: [...differences, ...done.unreadable].slice(0, MAX_NAMED_DIFFERENCES),
    };
    return checkpoint.save(advanceTo(next, after, 'COMPARE'));
  }
  if (phase === 'COMPARE') {
    const { position: next, done } = await comparePage(
      projection,
      loading,
      { reads: replaces, builds },
      position,
      pageSize,
    );
    const after: Rebuild = {
      ...rebuild,
      counts: {
        ...counts,
        compared: counts.compared + done.compared,
        completed: counts.completed + done.completed,
        pending: counts.pending + done.pending,
        differences: counts.differences + done.differences.length,
      },
      differences: [...differences, ...done.differences].slice(0, MAX_NAMED_DIFFERENCES),
    };
    if (next) return checkpoint.save(advanceTo(next, after, 'COMPARE'));
    return checkpoint.decide(after, rebuild.purpose === 'switch' ? builds : replaces);
  }
  const { position: next, done } = await deletePage(projection, { keeps, upTo: builds }, position, pageSize);
  const deleted = { ...rebuild, counts: { ...counts, deleted: counts.deleted + done } };
  return checkpoint.save(advanceTo(next, next ? deleted : { ...deleted, finishedAt: clock.now() }, 'DONE'));
}

/**
 * Returns the rebuild at a position of its phase, or at the beginning of the next phase if there is no position left.
 */
function advanceTo(
  position: Rebuild['position'],
  { position: _, ...rebuild }: Rebuild,
  next: Rebuild['phase'],
): Rebuild {
  return position ? { ...rebuild, position } : { ...rebuild, phase: next };
}

/**
 * Discards the new version. The current version stays.
 * @throws {CheckpointMoved} if a runner has saved a page in between
 */
async function discard(checkpoint: Checkpoint): Promise<void> {
  const rebuild = await checkpoint.read();
  if (rebuild?.phase === 'REPLAY' || rebuild?.phase === 'COMPARE') await checkpoint.decide(rebuild, rebuild.replaces);
}

function secondsToWait({ phase, decidedAt }: Rebuild): number {
  if (phase !== 'DELETE' || decidedAt === undefined) return 0;
  return Math.max(0, Math.ceil(DRAIN_SECONDS - secondsBetween(decidedAt, clock.now())));
}
