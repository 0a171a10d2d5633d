import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  ResourceNotFoundException as NoTable,
  TableNotFoundException,
} from '@aws-sdk/client-dynamodb';
import {
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { Env } from '@orderly/kit/internal/aws/environment.js';
import { mapConcurrently } from '@orderly/kit/internal/aws/map-concurrently.js';
import type { CommandContext } from '../cli/context.js';
import { currentTime } from '../deployment/endpoint.js';

/** State of a table, for a restore. */
export interface RestorableTable {
  readonly items: number;
  /** Size in bytes. AWS counts it, and the items, about every six hours. */
  readonly bytes: number;
  /** Period to which the table can be restored, ISO 8601, UTC; absent without point-in-time recovery. */
  readonly restorable?: { readonly from: string; readonly to: string };
}

/** Facts that a plan reads beside items. */
export interface RestoreAccess {
  /** Returns the time, ISO 8601, UTC. */
  now(): string;
  /** Returns the state of a table, or `undefined` if there is none of this name. */
  table(name: string): Promise<RestorableTable | undefined>;
  /** Returns the epoch that a function writes into its commits; `undefined` for one that commits nothing, or doesn't know of epochs. */
  epoch(functionName: string): Promise<number | undefined>;
  /** Returns the concurrency that is reserved for a function; `undefined` if none is. */
  reserved(functionName: string): Promise<number | undefined>;
}

/** Reads at the endpoint of a command. */
export const createRestoreAccess = (
  { endpoint, documents }: Pick<CommandContext, 'endpoint' | 'documents'>,
  lambda: LambdaClient,
): RestoreAccess => ({
  now: () => currentTime(endpoint),
  table: async (TableName) => {
    try {
      const [{ Table }, { ContinuousBackupsDescription }] = await Promise.all([
        documents.send(new DescribeTableCommand({ TableName })),
        documents.send(new DescribeContinuousBackupsCommand({ TableName })),
      ]);
      const { EarliestRestorableDateTime: from, LatestRestorableDateTime: to } =
        ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
      return {
        items: Table?.ItemCount ?? 0,
        bytes: Table?.TableSizeBytes ?? 0,
        ...(from && to && { restorable: { from: from.toISOString(), to: to.toISOString() } }),
      };
    } catch (error) {
      // Each operation has its own name for it, and either may answer first.
      if (error instanceof NoTable || error instanceof TableNotFoundException) return undefined;
      throw error;
    }
  },
  epoch: async (FunctionName) => {
    const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const epoch = Environment?.Variables?.[Env.EPOCH];
    return epoch === undefined ? undefined : Number(epoch);
  },
  reserved: async (FunctionName) =>
    (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }))).ReservedConcurrentExecutions,
});

/** Calls at once: below the rates that AWS allows for descriptions. */
export const CONCURRENCY = 4;

/**
 * Returns the epoch that a service's functions write into their commits: the lowest one, as long as a deployment has not reached
 * all of them; 0 if none writes one.
 */
export async function readDeployedEpoch(
  access: Pick<RestoreAccess, 'epoch'>,
  functions: readonly string[],
): Promise<number> {
  const epochs = (await mapConcurrently(functions, CONCURRENCY, (name) => access.epoch(name))).filter(
    (one) => one !== undefined,
  );
  return epochs.length === 0 ? 0 : Math.min(...epochs);
}
