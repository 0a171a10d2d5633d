import { eachOf } from '@orderly/kit/internal/aws/each-of.js';
import { newId } from '@orderly/kit/internal/aws/ids.js';
import type { CommandContext } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import { type Interruption, interruptible } from '../cli/interruptible.js';
import type { Outcome } from '../cli/outcome.js';
import { plural } from '../cli/text.js';
import type { Service } from '../deployment/services.js';
import { epochWritten } from './access.js';
import { type ApplyAccess, withApplyAccess } from './apply-access.js';
import { type Applied, appliedOutcome } from './apply-text.js';
import { type Differences, differencesOf } from './copy-back.js';
import {
  functionsToStop,
  isPossible,
  type PlanContext,
  planOutcome,
  readPlan,
  serviceNamed,
  tablesOf,
} from './plan.js';
import { beginRestore, type RestoreRecord, readRestores, readSubjects, takeOver } from './record.js';
import { Halt, RestoreRun, type RunContext, type Work } from './run.js';
import { stepStates } from './steps.js';
import { wordsOf } from './words.js';

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
    interruptible((interruption) => applyRestore({ ...context, ...interruption }, request, access)),
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
  const service = serviceNamed(context.services, request.service);
  const records = await readRestores(documents, service);
  const found = records.find(({ sk, cancelledAt }) => sk === at && cancelledAt === undefined);
  refuseAnother(context, service, records, at);
  const work: Work = {
    service,
    functions: functionsToStop(context, service),
    tables: tablesOf(service, at),
    own: { at, run: newId(Date.parse(access.now())) },
  };
  const about: About = { context, request, access, work };
  if (request.dryRun) return looked(about, found);
  if (request.cancel) return cancelled(about, found);
  if (found?.endedAt !== undefined) return reported(about, new RestoreRun(context, access, work, found), 'done');
  if (found?.startingSince !== undefined && found.copiedAt === undefined) {
    throw new OperatorError('refused', `The restore of ${service.name} to ${at} is being cancelled.`, [
      ...applyWords(about),
      '--cancel',
    ]);
  }
  if (!found) {
    const plan = await readPlan(context, { service: service.name, at }, access);
    if (!isPossible(plan)) return planOutcome(context, plan);
    const { commits } = plan.forgotten;
    await context.confirm?.(
      `restore of ${service.name} to ${at}, which stops ${plural(work.functions.length, 'function')} and forgets ${plural(commits, 'commit')}, in ${context.place ?? context.environment}`,
    );
  } else await takeOver(documents, service, work.own);
  const run = new RestoreRun(context, access, work, found ?? (await begun(about)));
  return worked(about, run, async () => {
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
  readonly work: Work;
}

/** Notes what there is before anything is changed. */
async function begun({ context, access, work }: About): Promise<RestoreRecord> {
  const { service, functions, own } = work;
  const seen = await eachOf(functions, 4, async (name) => ({
    name,
    reserved: await access.reserved(name),
    mappings: await access.mappingsOf(name),
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
    epoch: await epochWritten(access, functions),
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
    wordsOf(context, 'restore', 'apply', name, '--at', secondOf(other.sk)),
  );
}

/** `--cancel`: starts the functions again, as long as nothing was copied. */
async function cancelled(about: About, found: RestoreRecord | undefined): Promise<Outcome> {
  const { context, request, access, work } = about;
  const { service, own } = work;
  if (!found) throw new OperatorError('refused', `No restore of ${service.name} to ${own.at} is under way.`);
  if (found.copyingSince !== undefined) {
    throw new OperatorError(
      'refused',
      `The restore of ${service.name} to ${own.at} has begun to copy, and half of it can't be left: continue it to its end.`,
      applyWords(about),
    );
  }
  await takeOver(context.documents, service, own);
  const run = new RestoreRun(context, access, work, found);
  return worked(about, run, async () => {
    await run.start();
    if (request.deleteCopies) await run.deleteCopies();
    await run.note({ cancelledAt: access.now() });
  });
}

/** `--dry-run`: how far it is, and what differs. */
async function looked(about: About, found: RestoreRecord | undefined): Promise<Outcome> {
  const { context, access, work } = about;
  if (!found) {
    const plan = await readPlan(context, { service: work.service.name, at: work.own.at }, access);
    if (!isPossible(plan)) return planOutcome(context, plan);
  }
  const differences = new Map<string, Differences>();
  if (found?.copiedAt === undefined) {
    for (const { name: live, copy } of work.tables) {
      if ((await access.copy(copy))?.status !== 'ACTIVE') continue;
      differences.set(live, await differencesOf(context.documents, { live, copy }, access.now()));
    }
  }
  return outcomeOf(about, found, 'dry run', differences);
}

/** Runs the steps, and reports how far they came. */
async function worked(about: About, run: RestoreRun, steps: () => Promise<void>): Promise<Outcome> {
  try {
    await steps();
    return await reported(about, run, run.record.cancelledAt === undefined ? 'done' : 'cancelled');
  } catch (error) {
    if (error instanceof Halt) return reported(about, run, error.why);
    throw error;
  }
}

const reported = (about: About, run: RestoreRun, state: Applied['state']): Promise<Outcome> =>
  outcomeOf(about, run.record, state, run.differences);

async function outcomeOf(
  about: About,
  record: RestoreRecord | undefined,
  state: Applied['state'],
  differences: ReadonlyMap<string, Differences>,
): Promise<Outcome> {
  const { context, access, work } = about;
  const { service, own } = work;
  const copies = await eachOf(work.tables, 2, async ({ name, copy }) => ({
    table: name,
    copy,
    status: (await access.copy(copy))?.status,
    differences: differences.get(name),
  }));
  const written = await epochWritten(access, work.functions);
  const seen = {
    stopped: await isStopped(about),
    copies: copies.map(({ status }) => status),
    epoch: Math.min(written, service.epoch ?? 0),
  };
  const forgotten = record?.forgotten && {
    ...record.forgotten,
    subjects: await readSubjects(context.documents, service, own.at),
  };
  return appliedOutcome(
    {
      service,
      at: own.at,
      state,
      steps: stepStates(record, seen),
      epoch: { before: record?.epoch ?? written, after: (record?.epoch ?? written) + 1, now: seen.epoch },
      functions: work.functions.length,
      copies,
      forgotten,
    },
    { ...context, words: applyWords(about) },
  );
}

async function isStopped({ access, work }: About): Promise<boolean> {
  for (const name of work.functions) {
    if ((await access.reserved(name)) !== 0) return false;
    if ((await access.mappingsOf(name)).some(({ state }) => state !== 'Disabled')) return false;
  }
  return true;
}

/** Words of the command that continues. */
const applyWords = ({ context, request, work }: About): readonly string[] =>
  wordsOf(
    context,
    ...['restore', 'apply', work.service.name, '--at', secondOf(work.own.at)],
    ...(request.deleteCopies ? ['--delete-copies'] : []),
  );

const secondOf = (at: string): string => at.replace('.000Z', 'Z');
