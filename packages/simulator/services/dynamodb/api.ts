import type { EventLoop } from '../../engine/event-loop.js';
import { type FunctionCall, Refused, UnknownOperation } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import { DynamoDbError } from './errors.js';
import type { DynamoDbModel } from './model.js';
import { OPERATIONS, type Operation } from './model.js';
import type { Effects } from './wire.js';

/** Writes, capacity and refusals of a function's call to DynamoDB: for invariants and cost calculations. */
export interface TableCall {
  readonly at: number;
  readonly fn: string;
  readonly operation: string;
  readonly effects: Effects;
}

/** Parts of an account that its tables need. */
interface Account {
  readonly world: EventLoop;
  readonly dynamodb: DynamoDbModel;
  readonly tableCalls: TableCall[];
  /** Called after a write to a table. */
  onTableWritten(table: string): void;
}

/** DynamoDB and DynamoDB Streams, for callers inside and outside of the account. Amazon DynamoDB API Reference, "Actions". */
export class DynamoDbApi {
  private readonly holds = new WeakMap<object, ReturnType<DynamoDbModel['hold']>>();

  constructor(private readonly account: Account) {}

  /** Begins a request: a transaction locks its items until it is carried out. @returns a function that ends it */
  begin(operation: string, input: Input): () => void {
    const { dynamodb } = this.account;
    if (operation !== 'TransactWriteItems') return () => undefined;
    try {
      const hold = dynamodb.hold(input);
      this.holds.set(input, hold);
      return () => dynamodb.release(hold);
    } catch {
      // An invalid request is refused when it is carried out.
      return () => undefined;
    }
  }

  /** Carries a request out. @throws {Refused} @throws {UnknownOperation} @throws {NotModelled} */
  call(operation: string, asked: Input, call?: FunctionCall): { readonly output: object; readonly effects: Effects } {
    if (!OPERATIONS.some((known) => known === operation)) throw new UnknownOperation(`dynamodb ${operation}`);
    const { dynamodb, tableCalls, world } = this.account;
    const { input, unprocessed } = withoutRefused(operation, asked, call?.refusedEntries);
    const note = (effects: Effects): void => {
      if (call) tableCalls.push({ at: world.now, fn: call.by, operation, effects });
    };
    try {
      const { output, effects } = dynamodb.call(operation as Operation, input, this.holds.get(input), call?.staleBy);
      note(effects);
      for (const table of new Set(effects.changes.map(({ table }) => table))) this.account.onTableWritten(table);
      return { output: unprocessed ? { ...output, ...unprocessed } : output, effects };
    } catch (error) {
      if (!(error instanceof DynamoDbError)) throw error;
      note(error.effects);
      const { __type, message, ...more } = error.body;
      throw new Refused(error.code, error.message, error.status, more);
    }
  }
}

type Batch = Readonly<Record<string, readonly unknown[] | { readonly Keys: readonly unknown[] }>>;

/** The member of an answer that has what a batch left unprocessed. */
const UNPROCESSED = new Map([
  ['BatchWriteItem', 'UnprocessedItems'],
  ['BatchGetItem', 'UnprocessedKeys'],
]);

/**
 * Takes refused entries out of a BatchWriteItem or a BatchGetItem of several ones.
 * @returns the request that is carried out, and what is left unprocessed
 */
function withoutRefused(operation: string, input: Input, refused: FunctionCall['refusedEntries']) {
  const member = UNPROCESSED.get(operation);
  if (member === undefined || !refused) return { input, unprocessed: undefined };
  let at = 0;
  const left: Record<string, Batch[string]> = {};
  const unprocessed: Record<string, Batch[string]> = {};
  for (const [table, asked] of Object.entries(input.RequestItems as Batch)) {
    const entries = 'Keys' in asked ? asked.Keys : asked;
    const first = at;
    at += entries.length;
    const those = (areRefused: boolean) => entries.filter((_, place) => refused.has(first + place) === areRefused);
    for (const [to, some] of [
      [left, those(false)],
      [unprocessed, those(true)],
    ] as const) {
      if (some.length > 0) to[table] = 'Keys' in asked ? { ...asked, Keys: some } : some;
    }
  }
  // DynamoDB refuses a request of which it processes nothing (ProvisionedThroughputExceededException): not this fault.
  if (Object.keys(left).length === 0) return { input, unprocessed: undefined };
  return { input: { ...input, RequestItems: left }, unprocessed: { [member]: unprocessed } };
}
