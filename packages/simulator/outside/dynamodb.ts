import { Refused } from '../aws/refused.js';
import type { Cloud } from '../cloud.js';
import { DynamoDbError, NotModelled } from '../dynamodb/errors.js';
import type { Operation as TableOperation } from '../dynamodb/wire.js';
import { type Operation, UnknownOperation } from './operation.js';

/** Returns an operation of DynamoDB or DynamoDB Streams, which the model carries out. */
export function tables(cloud: Cloud): (operation: string) => Operation {
  return (operation) => (input) => {
    try {
      const { output, effects } = cloud.dynamodb.call(operation as TableOperation, input);
      for (const table of new Set(effects.changes.map(({ table }) => table))) cloud.written(table);
      return output;
    } catch (error) {
      if (error instanceof NotModelled && error.message === `operation ${operation}`)
        throw new UnknownOperation(operation);
      if (!(error instanceof DynamoDbError)) throw error;
      const { __type, message, ...more } = error.body;
      throw new Refused(error.code, error.message, error.status, more);
    }
  };
}
