import { DynamoDbError } from '../../services/dynamodb/errors.js';
import type { DynamoDbModel, Operation } from '../../services/dynamodb/model.js';
import type { WireObject } from '../../services/dynamodb/wire.js';

/** Returns the error with which a request is refused. @throws {Error} if it isn't */
export function refusal(db: DynamoDbModel, operation: Operation, input: WireObject): DynamoDbError {
  try {
    db.call(operation, input);
  } catch (error) {
    if (error instanceof DynamoDbError) return error;
    throw error;
  }
  throw new Error(`${operation} was not refused`);
}
