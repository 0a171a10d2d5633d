import { documentClient } from '../../packages/kit/aws/dynamodb.js';
import { DynamoDbError } from '../../packages/simulator/services/dynamodb/errors.js';
import type { Operation } from '../../packages/simulator/services/dynamodb/model.js';
import { DynamoDbModel } from '../../packages/simulator/services/dynamodb/model.js';
import type { WireObject } from '../../packages/simulator/services/dynamodb/wire.js';
import { seededRandom } from '../../packages/simulator/support/dynamodb/random.js';
import { unsigned } from './unsigned.js';

/** Call of DynamoDB, and its cost. */
export interface Call {
  readonly operation: Operation;
  readonly readUnits: number;
  readonly writeUnits: number;
}

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const attribute = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' });
const key = (names: readonly string[]) =>
  names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));

/** Each table's indexes by name, with their keys; an index holds every attribute. */
export type Indexes = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * Answers the SDK of this process by the simulator's model of DynamoDB: the patterns' tests need no emulator.
 * @param tables names and their keys: `{ things: ['pk', 'sk'] }`
 * @param indexes of tables that have some: `{ things: { feed: ['feedPk', 'feedSk'] } }`
 * @param pageItems items after which each page ends, as if they were large. @default only bytes count
 * @returns the calls so far; to be emptied by who counts
 */
export function inProcessDynamoDb(
  tables: Readonly<Record<string, readonly string[]>>,
  indexes: Indexes = {},
  pageItems?: number,
): { readonly calls: Call[] } {
  const model = new DynamoDbModel({ now: Date.now, random: seededRandom(1), pageItems });
  for (const [name, names] of Object.entries(tables)) {
    const own = Object.entries(indexes[name] ?? {});
    const Properties = {
      KeySchema: key(names),
      AttributeDefinitions: [...names, ...own.flatMap(([, keys]) => keys)].map(attribute),
      ...(own.length > 0 && {
        GlobalSecondaryIndexes: own.map(([IndexName, keys]) => ({
          IndexName,
          KeySchema: key(keys),
          Projection: { ProjectionType: 'ALL' },
        })),
      }),
    };
    model.createTable(name, { Type: 'AWS::DynamoDB::GlobalTable', Properties });
  }
  const calls: Call[] = [];
  const answer = (operation: Operation, input: WireObject): { statusCode: number; body: object } => {
    try {
      const { output, effects } = model.call(operation, input);
      const sum = (unit: 'read' | 'write') => effects.consumed.reduce((total, consumed) => total + consumed[unit], 0);
      calls.push({ operation, readUnits: sum('read'), writeUnits: sum('write') });
      return { statusCode: 200, body: output };
    } catch (error) {
      if (!(error instanceof DynamoDbError)) throw error;
      calls.push({ operation, readUnits: 0, writeUnits: 0 });
      return { statusCode: error.status, body: error.body };
    }
  };
  Object.assign(process.env, { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  documentClient.config.signer = async () => unsigned;
  documentClient.config.requestHandler = {
    metadata: { handlerProtocol: 'http/1.1' },
    // An answer takes its turn, so that calls under way at once overlap as they do on a network.
    handle: async ({ headers, body }: Request) => {
      await new Promise(setImmediate);
      const operation = String(headers['x-amz-target']).split('.')[1] as Operation;
      const { statusCode, body: output } = answer(operation, JSON.parse(new TextDecoder().decode(body)));
      const response = { 'content-type': 'application/x-amz-json-1.0' };
      return { response: { statusCode, headers: response, body: Buffer.from(JSON.stringify(output)) } };
    },
  } as unknown as typeof documentClient.config.requestHandler;
  return { calls };
}
