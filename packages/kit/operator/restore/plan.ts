import { LambdaClient } from '@aws-sdk/client-lambda';
import { eachOf } from '../../aws/each-of.js';
import type { CommandContext } from '../context.js';
import { clientConfig } from '../endpoint.js';
import { Exit, OperatorError } from '../errors.js';
import { functionsIn } from '../functions.js';
import type { Outcome } from '../outcome.js';
import type { Service } from '../services.js';
import { type RestorableTable, type RestoreAccess, restoreAccess } from './access.js';
import type { PlannedTable, RestorePlan } from './facts.js';
import { readForgotten } from './forgotten.js';
import { planText } from './plan-text.js';

/** Request of an operator. */
export interface RestorePlanRequest {
  /** Name of the service. */
  readonly service: string;
  /** Instant to which it is to be restored: ISO 8601, UTC, a whole second, as DynamoDB restores. */
  readonly at: string;
}

/** Calls at once: below the rates that AWS allows for descriptions. */
const AT_ONCE = 4;

/** `restore plan`. @throws {OperatorError} `not-found` for a service that doesn't exist, `refused` for a time to come */
export async function showRestorePlan(context: CommandContext, request: RestorePlanRequest): Promise<Outcome> {
  const lambda = new LambdaClient(clientConfig(context.endpoint));
  try {
    return await planRestore(context, request, restoreAccess(context, lambda));
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
  return planOutcome(context, await readPlan(context, request, access));
}

export type PlanContext = Pick<
  CommandContext,
  'documents' | 'services' | 'stacks' | 'command' | 'runbook' | 'environment' | 'deployment'
>;

/** @throws {OperatorError} `not-found` for a service that doesn't exist */
export function serviceNamed(services: readonly Service[], name: string): Service {
  const service = services.find((one) => one.name === name);
  if (service) return service;
  const names = services.map((one) => one.name).join(', ');
  throw new OperatorError('not-found', `There is no service '${name}'; there are: ${names}.`);
}

/** Returns the names of the functions that write into a service's tables, all but its relay. */
export const functionsToStop = (
  { stacks }: Pick<CommandContext, 'stacks'>,
  { name, relay }: Service,
): readonly string[] =>
  functionsIn(stacks)
    .filter((one) => one.service === name && one.name !== relay)
    .map((one) => one.name);

/** Returns the tables of a service, and the names of their copies of an instant. */
export const tablesOf = (
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
  const service = serviceNamed(context.services, name);
  const now = access.now();
  if (at >= now)
    throw new OperatorError('refused', `--at is ${at}, but it is ${now}: expected a time that has passed.`);
  const names = functionsToStop(context, service);
  return {
    service,
    at,
    tables: await Promise.all(
      tablesOf(service, at).map(async (table) => {
        const state = await access.table(table.name);
        const obstacle = obstacleOf(state, at);
        return { ...table, state, ...(obstacle !== undefined && { obstacle }) };
      }),
    ),
    epoch: await access.epoch(service.relay),
    forgotten: await readForgotten(context, service, { from: at, to: now }),
    functions: await eachOf(names, AT_ONCE, async (functionName) => {
      const reserved = await access.reserved(functionName);
      return { name: functionName, ...(reserved !== undefined && { reserved }) };
    }),
  };
}

/** The result of a plan. */
export function planOutcome(context: PlanContext, plan: RestorePlan): Outcome {
  return {
    exitCode: plan.tables.some(({ obstacle }) => obstacle !== undefined) ? Exit.NEEDS_OPERATOR : Exit.OK,
    text: planText(plan, context),
    json: { restorePlan: jsonOf(plan) },
  };
}

/** @param at whole second; the limits of AWS have milliseconds */
function obstacleOf(state: RestorableTable | undefined, at: string): string | undefined {
  if (!state) return 'it is gone';
  if (!state.restorable) return 'it has no point-in-time recovery (setting keepsData)';
  const { from, to } = state.restorable;
  if (at < from) return `it can be restored to ${from} at the earliest`;
  return at > to ? `it can be restored to ${to} at the latest: wait a few minutes` : undefined;
}

function jsonOf({ service, at, tables, epoch, forgotten, functions }: RestorePlan) {
  return {
    service: service.name,
    at,
    possible: tables.every(({ obstacle }) => obstacle === undefined),
    tables: tables.map(({ state, ...table }) => ({ ...table, ...state })),
    epoch: { before: epoch, after: epoch + 1 },
    forgotten,
    ownConsumers: service.consumers.filter(({ projection }) => !projection).map(({ name }) => name),
    projections: service.consumers.filter(({ projection }) => projection).map(({ name }) => name),
    functions,
  };
}
