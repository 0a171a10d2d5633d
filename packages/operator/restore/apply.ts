import { newId } from '@orderly/kit/internal/aws/ids.js';
import { mapConcurrently } from '@orderly/kit/internal/aws/map-concurrently.js';
import type { CommandContext } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import { type Interruption, runInterruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { pluralize } from '../cli/text-format.js';
import type { Service } from '../deployment/services.js';
import { readDeployedEpoch } from './access.js';
import { type ApplyAccess, withApplyAccess } from './apply-access.js';
import { type RestoreProgress, toOutcome } from './apply-text.js';
import {
  findService,
  isPossible,
  listFunctionsToStop,
  listTables,
  type PlanContext,
  readPlan,
  toPlanOutcome,
} from './plan.js';
import { beginRestore, type RestoreRecord, readRestores, readSubjects, takeOverRestore } from './restore-record.js';
import { Halt, RestoreRun, type RestoreWork, type RunContext } from './restore-run.js';
import { withEnvironment } from './restore-text.js';
import { listStepStates } from './steps.js';
import { compareTables, type Differences } from './table-comparison.js';

/** Request of an operator. */
export interface RestoreApplyRequest {
  /** Name of the service. */
  readonly service: string;
  /** Instant to which it is restored: ISO 8601, UTC, a whole second. */
  readonly at: string;
  /** Whether it only says how far the restore is, and what would be copied. */
  readonly dryRun: boolean;
  /** Whether it gives up a restore that has not copied anything yet: it starts the functions again. */
  readonly cancel: boolean;
  /** Whether it deletes the copies at the end. */
  readonly deleteCopies: boolean;
}

export type ApplyContext = PlanContext & RunContext & Interruption;

/** `restore apply`. @throws {OperatorError} as {@link applyRestore} */
export const runRestoreApply = (context: CommandContext, request: RestoreApplyRequest): Promise<Outcome> =>
  withApplyAccess(context, (access) =>
    runInterruptible((interruption) => applyRestore({ ...context, ...interruption }, request, access)),
  );

/**
 * Restores a service as far as it can, and says what is next. It continues where an earlier run has ended, on any machine.
 * @throws {OperatorError} `not-found` for a service that doesn't exist; `refused` if nobody confirms, if another restore of the
 *   service is under way, or if another run has taken over
 */
export async function applyRestore(
  context: ApplyContext,
  request: RestoreApplyRequest,
  access: ApplyAccess,
): Promise<Outcome> {
  const { documents } = context;
  const { at } = request;
  const service = findService(context.services, request.service);
  const records = await readRestores(documents, service);
  const found = records.find(({ sk, cancelledAt }) => sk === at && cancelledAt === undefined);
  refuseAnother(context, service, records, at);
  const work: RestoreWork = {
    service,
    functions: listFunctionsToStop(context, service),
    tables: listTables(service, at),
    own: { at, run: newId(Date.parse(access.now())) },
  };
  const about: About = { context, request, access, work };
  if (request.dryRun) return previewRestore(about, found);
  if (request.cancel) return cancelRestore(about, found);
  if (found?.endedAt !== undefined) return reportRun(about, new RestoreRun(context, access, work, found), 'done');
  if (found?.startingSince !== undefined && found.copiedAt === undefined) {
    throw new OperatorError('refused', `The restore of ${service.name} to ${at} is being cancelled.`, [
      ...continueWords(about),
      '--cancel',
    ]);
  }
  if (!found) {
    const plan = await readPlan(context, { service: service.name, at }, access);
    if (!isPossible(plan)) return toPlanOutcome(context, plan);
    const { commits } = plan.forgotten;
    await context.confirm?.(
      `restore of ${service.name} to ${at}, which stops ${pluralize(work.functions.length, 'function')} and forgets ${pluralize(commits, 'commit')}, in ${context.place ?? context.environment}`,
    );
  } else await takeOverRestore(documents, service, work.own);
  const run = new RestoreRun(context, access, work, found ?? (await beginNewRestore(about)));
  return runSteps(about, run, async () => {
    // Once more, these steps would take away what was committed since.
    if (run.record.copiedAt === undefined) {
      await run.stop();
      await run.publish();
      await run.restore();
      await run.copyBack();
    }
    await run.deployed();
    await run.start();
    if (run.record.resumedAt === undefined) await run.note({ resumedAt: access.now() });
    if (request.deleteCopies) await run.deleteCopies();
  });
}

interface About {
  readonly context: ApplyContext;
  readonly request: RestoreApplyRequest;
  readonly access: ApplyAccess;
  readonly work: RestoreWork;
}

/** Notes what there is before anything is changed. */
async function beginNewRestore({ context, access, work }: About): Promise<RestoreRecord> {
  const { service, functions, own } = work;
  const seen = await mapConcurrently(functions, 4, async (name) => ({
    name,
    reserved: await access.reserved(name),
    mappings: await access.listMappings(name),
  }));
  const off = seen.filter(
    ({ reserved, mappings }) => reserved === 0 || mappings.some(({ state }) => state === 'Disabled'),
  );
  if (off.length > 0)
    context.say(
      `switched off already, and therefore not switched on afterwards: ${off.map(({ name }) => name).join(', ')}`,
    );
  const record: RestoreRecord = {
    sk: own.at,
    run: own.run,
    epoch: await readDeployedEpoch(access, functions),
    commitsHaveEpochs: true,
    begunAt: access.now(),
    begunBy: await context.actor(),
    functions: seen.map(({ name, reserved }) => ({ name, ...(reserved !== undefined && { reserved }) })),
    mappings: seen.flatMap(({ mappings }) =>
      mappings.filter(({ state }) => !state.startsWith('Disabl')).map(({ id }) => id),
    ),
  };
  await beginRestore(context.documents, service, record);
  return record;
}

/** Only one restore of a service at a time: two would undo each other. */
function refuseAnother(
  context: Pick<ApplyContext, 'environment'>,
  { name }: Service,
  records: readonly RestoreRecord[],
  at: string,
): void {
  const other = records.find(
    ({ sk, resumedAt, cancelledAt }) => sk !== at && resumedAt === undefined && cancelledAt === undefined,
  );
  if (!other) return;
  throw new OperatorError(
    'refused',
    `A restore of ${name} to ${other.sk} is under way since ${other.begunAt}, by ${other.begunBy}: continue it, or cancel it (--cancel).`,
    withEnvironment(context, 'restore', 'apply', name, '--at', trimMilliseconds(other.sk)),
  );
}

/** `--cancel`: starts the functions again, as long as nothing was copied. */
async function cancelRestore(about: About, found: RestoreRecord | undefined): Promise<Outcome> {
  const { context, request, access, work } = about;
  const { service, own } = work;
  if (!found) throw new OperatorError('refused', `No restore of ${service.name} to ${own.at} is under way.`);
  if (found.copyingSince !== undefined) {
    throw new OperatorError(
      'refused',
      `The restore of ${service.name} to ${own.at} has begun to copy, and half of it can't be left: continue it to its end.`,
      continueWords(about),
    );
  }
  await takeOverRestore(context.documents, service, own);
  const run = new RestoreRun(context, access, work, found);
  return runSteps(about, run, async () => {
    await run.start();
    if (request.deleteCopies) await run.deleteCopies();
    await run.note({ cancelledAt: access.now() });
  });
}

/** `--dry-run`: how far it is, and what differs. */
async function previewRestore(about: About, found: RestoreRecord | undefined): Promise<Outcome> {
  const { context, access, work } = about;
  if (!found) {
    const plan = await readPlan(context, { service: work.service.name, at: work.own.at }, access);
    if (!isPossible(plan)) return toPlanOutcome(context, plan);
  }
  const differences = new Map<string, Differences>();
  if (found?.copiedAt === undefined) {
    for (const { name: live, copy } of work.tables) {
      if ((await access.copy(copy))?.status !== 'ACTIVE') continue;
      differences.set(live, await compareTables(context.documents, { live, copy }, access.now()));
    }
  }
  return toRestoreOutcome(about, found, 'dry run', differences);
}

/** Runs the steps, and reports how far they came. */
async function runSteps(about: About, run: RestoreRun, steps: () => Promise<void>): Promise<Outcome> {
  try {
    await steps();
    return await reportRun(about, run, run.record.cancelledAt === undefined ? 'done' : 'cancelled');
  } catch (error) {
    if (error instanceof Halt) return reportRun(about, run, error.why);
    throw error;
  }
}

const reportRun = (about: About, run: RestoreRun, state: RestoreProgress['state']): Promise<Outcome> =>
  toRestoreOutcome(about, run.record, state, run.differences);

async function toRestoreOutcome(
  about: About,
  record: RestoreRecord | undefined,
  state: RestoreProgress['state'],
  differences: ReadonlyMap<string, Differences>,
): Promise<Outcome> {
  const { context, access, work } = about;
  const { service, own } = work;
  const copies = await mapConcurrently(work.tables, 2, async ({ name, copy }) => ({
    table: name,
    copy,
    status: (await access.copy(copy))?.status,
    differences: differences.get(name),
  }));
  const written = await readDeployedEpoch(access, work.functions);
  const seen = {
    stopped: await isStopped(about),
    copies: copies.map(({ status }) => status),
    epoch: Math.min(written, service.epoch ?? 0),
  };
  const forgotten = record?.forgotten && {
    ...record.forgotten,
    subjects: await readSubjects(context.documents, service, own.at),
  };
  return toOutcome(
    {
      service,
      at: own.at,
      state,
      steps: listStepStates(record, seen),
      epoch: { before: record?.epoch ?? written, after: (record?.epoch ?? written) + 1, now: seen.epoch },
      functions: work.functions.length,
      copies,
      forgotten,
    },
    { ...context, words: continueWords(about) },
  );
}

async function isStopped({ access, work }: About): Promise<boolean> {
  for (const name of work.functions) {
    if ((await access.reserved(name)) !== 0) return false;
    if ((await access.listMappings(name)).some(({ state }) => state !== 'Disabled')) return false;
  }
  return true;
}

/** Words of the command that continues. */
const continueWords = ({ context, request, work }: About): readonly string[] =>
  withEnvironment(
    context,
    ...['restore', 'apply', work.service.name, '--at', trimMilliseconds(work.own.at)],
    ...(request.deleteCopies ? ['--delete-copies'] : []),
  );

const trimMilliseconds = (at: string): string => at.replace('.000Z', 'Z');
