import { LambdaClient } from '@aws-sdk/client-lambda';
import { eachOf } from '../../aws/each-of.js';
import type { CommandContext } from '../context.js';
import { clientConfig } from '../endpoint.js';
import { Exit, OperatorError } from '../errors.js';
import { functionsIn } from '../functions.js';
import type { Outcome } from '../outcome.js';
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
  context: Pick<CommandContext, 'documents' | 'services' | 'stacks' | 'command' | 'runbook'>,
  { service: name, at }: RestorePlanRequest,
  access: RestoreAccess,
): Promise<Outcome> {
  const { services, stacks } = context;
  const service = services.find((one) => one.name === name);
  if (!service) {
    const names = services.map((one) => one.name).join(', ');
    throw new OperatorError('not-found', `There is no service '${name}'; there are: ${names}.`);
  }
  const now = access.now();
  if (at >= now)
    throw new OperatorError('refused', `--at is ${at}, but it is ${now}: expected a time that has passed.`);
  const names = functionsIn(stacks)
    .filter((one) => one.service === name && one.name !== service.relay)
    .map((one) => one.name);
  const plan: RestorePlan = {
    service,
    at,
    tables: await Promise.all([
      tableOf(access, { name: service.table, holds: 'commits' }, at),
      tableOf(access, { name: service.records, holds: 'records' }, at),
    ]),
    epoch: await access.epoch(service.relay),
    forgotten: await readForgotten(context, service, { from: at, to: now }),
    functions: await eachOf(names, AT_ONCE, async (functionName) => {
      const reserved = await access.reserved(functionName);
      return { name: functionName, ...(reserved !== undefined && { reserved }) };
    }),
  };
  return {
    exitCode: plan.tables.some(({ obstacle }) => obstacle !== undefined) ? Exit.NEEDS_OPERATOR : Exit.OK,
    text: planText(plan, context),
    json: { restorePlan: jsonOf(plan) },
  };
}

async function tableOf(
  access: RestoreAccess,
  { name, holds }: Pick<PlannedTable, 'name' | 'holds'>,
  at: string,
): Promise<PlannedTable> {
  const state = await access.table(name);
  const obstacle = obstacleOf(state, at);
  const copy = `${name}-restored-${at.replaceAll(/\D/g, '').slice(0, 14)}`;
  return { name, holds, copy, state, ...(obstacle !== undefined && { obstacle }) };
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
  const { heardBy, ...published } = forgotten;
  return {
    service: service.name,
    at,
    possible: tables.every(({ obstacle }) => obstacle === undefined),
    tables: tables.map(({ state, ...table }) => ({ ...table, ...state })),
    epoch: { before: epoch, after: epoch + 1 },
    forgotten: {
      ...published,
      heardBy: heardBy.map(({ listener, count }) => ({
        service: listener.service.name,
        consumer: listener.name,
        count,
        ...(listener.consumer?.inbox && { inbox: listener.consumer.inbox.mode }),
      })),
    },
    ownConsumers: service.consumers.filter(({ projection }) => !projection).map(({ name }) => name),
    projections: service.consumers.filter(({ projection }) => projection).map(({ name }) => name),
    functions,
  };
}
