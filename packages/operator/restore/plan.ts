import { LambdaClient } from '@aws-sdk/client-lambda';
import { mapConcurrently } from '@orderly/kit/internal/aws/map-concurrently.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { clientConfig } from '../deployment/endpoint.js';
import { parseFunctions } from '../deployment/functions.js';
import type { Service } from '../deployment/services.js';
import {
  CONCURRENCY,
  createRestoreAccess,
  type RestorableTable,
  type RestoreAccess,
  readDeployedEpoch,
} from './access.js';
import { readLostCommits } from './lost-commits.js';
import { renderPlan } from './plan-text.js';
import type { PlannedTable, RestorePlan } from './plan-types.js';
import { type RestoreRecord, readRestores } from './restore-record.js';

/** Request of an operator. */
export interface RestorePlanRequest {
  /** Name of the service. */
  readonly service: string;
  /** Instant to which it is to be restored: ISO 8601, UTC, a whole second, as DynamoDB restores. */
  readonly at: string;
}

/** `restore plan`. @throws {OperatorError} `not-found` for a service that doesn't exist, `refused` for a time to come */
export async function showRestorePlan(context: CommandContext, request: RestorePlanRequest): Promise<Outcome> {
  const lambda = new LambdaClient(clientConfig(context.endpoint));
  try {
    return await planRestore(context, request, createRestoreAccess(context, lambda));
  } finally {
    lambda.destroy();
  }
}

/**
 * The command, with its access to tables and functions. It changes nothing.
 * @throws {OperatorError} as {@link showRestorePlan}
 */
export async function planRestore(
  context: PlanContext,
  request: RestorePlanRequest,
  access: RestoreAccess,
): Promise<Outcome> {
  return toPlanOutcome(context, await readPlan(context, request, access));
}

export type PlanContext = Pick<
  CommandContext,
  'documents' | 'services' | 'stacks' | 'command' | 'runbook' | 'environment' | 'deployment'
>;

/** @throws {OperatorError} `not-found` for a service that doesn't exist */
export function findService(services: readonly Service[], name: string): Service {
  const service = services.find((one) => one.name === name);
  if (service) return service;
  const names = services.map((one) => one.name).join(', ');
  throw new OperatorError('not-found', `There is no service '${name}'; there are: ${names}.`);
}

/** Returns the names of the functions that write into a service's tables, all but its relay. */
export const listFunctionsToStop = (
  { stacks }: Pick<CommandContext, 'stacks'>,
  { name, relay }: Service,
): readonly string[] =>
  parseFunctions(stacks)
    .filter((one) => one.service === name && one.name !== relay)
    .map((one) => one.name);

/** Returns the tables of a service, and the names of their copies of an instant. */
export const listTables = (
  { table, records }: Service,
  at: string,
): readonly Pick<PlannedTable, 'name' | 'holds' | 'copy'>[] =>
  [
    { name: table, holds: 'commits' as const },
    { name: records, holds: 'records' as const },
  ].map((one) => ({ ...one, copy: `${one.name}-restored-${at.replaceAll(/\D/g, '').slice(0, 14)}` }));

/** Reads what a restore would take and forget. @throws {OperatorError} as {@link showRestorePlan} */
export async function readPlan(
  context: PlanContext,
  { service: name, at }: RestorePlanRequest,
  access: RestoreAccess,
): Promise<RestorePlan> {
  const service = findService(context.services, name);
  const now = access.now();
  if (at >= now)
    throw new OperatorError('refused', `--at is ${at}, but it is ${now}: expected a time that has passed.`);
  const names = listFunctionsToStop(context, service);
  const epoch = await readDeployedEpoch(access, names);
  const forbidden = findForbiddingRestore(await readRestores(context.documents, service), at, service.name);
  return {
    service,
    at,
    tables: await Promise.all(
      listTables(service, at).map(async (table) => {
        const state = await access.table(table.name);
        const obstacle = findObstacle(state, at);
        return { ...table, state, ...(obstacle !== undefined && { obstacle }) };
      }),
    ),
    epoch,
    ...(forbidden !== undefined && { forbidden }),
    forgotten: await readLostCommits(context, service, { from: at, to: now }),
    functions: await mapConcurrently(names, CONCURRENCY, async (functionName) => {
      const reserved = await access.reserved(functionName);
      return { name: functionName, ...(reserved !== undefined && { reserved }) };
    }),
  };
}

/**
 * Returns why an earlier restore of a service forbids one to an instant.
 *
 * Consumers have passed what the earlier one made the service forget. A restore to an instant before it would bring these commits
 * back, under their old positions: for consumers they would be known already, and lost.
 */
function findForbiddingRestore(restores: readonly RestoreRecord[], at: string, service: string): string | undefined {
  const done = restores.filter(
    ({ sk, copyingSince, cancelledAt, resumedAt }) =>
      copyingSince !== undefined && cancelledAt === undefined && (sk !== at || resumedAt !== undefined),
  );
  const later = done.filter(({ resumedAt }) => resumedAt === undefined || at < resumedAt).at(-1);
  if (later) {
    const until = later.resumedAt === undefined ? 'is under way' : `ended at ${later.resumedAt}`;
    return (
      `${service} was restored to ${later.sk}, which ${until}. Consumers have passed what it forgot then, and would ignore what came back: ` +
      `expected an instant after that end. Restore the tables to copies by hand, and repair single items by commands of the service`
    );
  }
  const unknown = done.find(({ commitsHaveEpochs }) => commitsHaveEpochs === undefined);
  return (
    unknown &&
    `${service} was restored to ${unknown.sk} by a release whose commits don't store their epoch: those written since would count as older than they are. Restore the tables to copies by hand, and repair single items by commands of the service`
  );
}

/** Tells whether a service can be restored to the instant of a plan. */
export const isPossible = ({ tables, forbidden }: RestorePlan): boolean =>
  forbidden === undefined && tables.every(({ obstacle }) => obstacle === undefined);

/** The result of a plan. */
export function toPlanOutcome(context: PlanContext, plan: RestorePlan): Outcome {
  return {
    exitCode: isPossible(plan) ? Exit.OK : Exit.NEEDS_OPERATOR,
    text: renderPlan(plan, context),
    json: { restorePlan: planToJson(plan) },
  };
}

/** @param at whole second; the limits of AWS have milliseconds */
function findObstacle(state: RestorableTable | undefined, at: string): string | undefined {
  if (!state) return 'it is gone';
  if (!state.restorable) return 'it has no point-in-time recovery (setting keepsData)';
  const { from, to } = state.restorable;
  if (at < from) return `it can be restored to ${from} at the earliest`;
  return at > to ? `it can be restored to ${to} at the latest: wait a few minutes` : undefined;
}

function planToJson(plan: RestorePlan) {
  const { service, at, tables, epoch, forbidden, forgotten, functions } = plan;
  return {
    service: service.name,
    at,
    possible: isPossible(plan),
    ...(forbidden !== undefined && { forbidden }),
    tables: tables.map(({ state, ...table }) => ({ ...table, ...state })),
    epoch: { before: epoch, after: epoch + 1 },
    forgotten,
    ownConsumers: service.consumers.filter(({ projection }) => !projection).map(({ name }) => name),
    projections: service.consumers.filter(({ projection }) => projection).map(({ name }) => name),
    functions,
  };
}
