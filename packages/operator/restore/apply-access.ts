import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException as NoTable,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  ResourceNotFoundException as NotInLambda,
  PutFunctionConcurrencyCommand,
  paginateListEventSourceMappings,
  ResourceConflictException,
  ResourceInUseException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { CommandContext } from '../cli/context.js';
import { clientConfig } from '../deployment/endpoint.js';
import { readMetrics } from '../status/metrics.js';
import { createRestoreAccess, type RestoreAccess } from './access.js';

/** An event source mapping. */
export interface Mapping {
  readonly id: string;
  /** `Enabled`, `Disabling`, `Disabled`, … */
  readonly state: string;
}

/** A table to which another one is restored. */
export interface RestoredCopy {
  /** `CREATING`, `ACTIVE`, … */
  readonly status: string;
  /** Name of the table and instant (ISO 8601, UTC) that it was restored from; absent if it was not. */
  readonly from?: { readonly table: string; readonly at: string };
}

/** Resources that a restore reads and switches. A missing one is `undefined`, and switching it does nothing. */
export interface ApplyAccess extends RestoreAccess {
  listMappings(functionName: string): Promise<readonly Mapping[]>;
  /** Switches a mapping on or off. @returns false if AWS is still changing it: ask again */
  switchMapping(id: string, enabled: boolean): Promise<boolean>;
  /** Reserves concurrency for a function; `undefined` reserves none. */
  reserve(functionName: string, limit: number | undefined): Promise<void>;
  /** Returns the longest time of an invocation, in seconds. */
  timeout(functionName: string): Promise<number>;
  /** Returns the minute (ISO 8601) of the newest invocation of the last quarter of an hour, as CloudWatch knows it. */
  lastInvocation(functionName: string): Promise<string | undefined>;
  copy(name: string): Promise<RestoredCopy | undefined>;
  /** Asks for a copy of a table as it was at an instant. It may be asked for twice. */
  restore(tables: { readonly source: string; readonly copy: string }, at: string): Promise<void>;
  /** Deletes a table, if it is there. */
  deleteTable(name: string): Promise<void>;
}

/** Accesses the endpoint of a command, for as long as the work takes. */
export async function withApplyAccess<T>(
  context: Pick<CommandContext, 'endpoint' | 'documents'>,
  work: (access: ApplyAccess) => Promise<T>,
): Promise<T> {
  const config = clientConfig(context.endpoint);
  const [lambda, cloudWatch] = [new LambdaClient(config), new CloudWatchClient(config)];
  try {
    return await work(createApplyAccess(context, lambda, cloudWatch));
  } finally {
    lambda.destroy();
    cloudWatch.destroy();
  }
}

/** Does the same with clients of the caller. */
export function createApplyAccess(
  context: Pick<CommandContext, 'endpoint' | 'documents'>,
  lambda: LambdaClient,
  cloudWatch: CloudWatchClient,
): ApplyAccess {
  const { documents } = context;
  const reading = createRestoreAccess(context, lambda);
  return {
    ...reading,
    listMappings: async (name) => {
      const found: Mapping[] = [];
      // Filtered here: AWS lists by a function's name only the mappings that invoke no alias of it.
      for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {}))
        found.push(
          ...EventSourceMappings.filter(({ FunctionArn = '' }) => FunctionArn.split(':')[6] === name).map(
            ({ UUID: id = '', State: state = '' }) => ({ id, state }),
          ),
        );
      return found;
    },
    switchMapping: async (UUID, Enabled) => {
      try {
        await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
        return true;
      } catch (error) {
        if (error instanceof NotInLambda) return true;
        if (error instanceof ResourceInUseException || error instanceof ResourceConflictException) return false;
        throw error;
      }
    },
    reserve: async (FunctionName, limit) => {
      try {
        if (limit === undefined) await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
        else
          await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: limit }));
      } catch (error) {
        if (!(error instanceof NotInLambda)) throw error;
      }
    },
    timeout: async (FunctionName) =>
      (await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))).Timeout ?? 0,
    lastInvocation: async (name) =>
      (await readMetrics(cloudWatch, { queues: [], relays: [], sweepers: [name] }, reading.now())).tick.get(name),
    copy: async (TableName) => {
      try {
        const { Table } = await documents.send(new DescribeTableCommand({ TableName }));
        const { SourceTableArn, RestoreDateTime } = Table?.RestoreSummary ?? {};
        const table = SourceTableArn?.split('/')[1];
        return {
          status: Table?.TableStatus ?? '',
          ...(table !== undefined && RestoreDateTime && { from: { table, at: RestoreDateTime.toISOString() } }),
        };
      } catch (error) {
        if (error instanceof NoTable) return undefined;
        throw error;
      }
    },
    restore: async ({ source, copy }, at) => {
      try {
        await documents.send(
          new RestoreTableToPointInTimeCommand({
            SourceTableName: source,
            TargetTableName: copy,
            RestoreDateTime: new Date(at),
            // It is only scanned and read by key. Without indexes AWS makes it sooner, and for less money.
            GlobalSecondaryIndexOverride: [],
          }),
        );
      } catch (error) {
        // Its answer was lost before, or another run was faster.
        if (!(error instanceof TableAlreadyExistsException)) throw error;
      }
    },
    deleteTable: async (TableName) => {
      try {
        await documents.send(new DeleteTableCommand({ TableName }));
      } catch (error) {
        if (!(error instanceof NoTable)) throw error;
      }
    },
  };
}
