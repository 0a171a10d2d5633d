import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DynamoDbError } from '../../../packages/simulator/services/dynamodb/errors.js';
import type { DynamoDbModel } from '../../../packages/simulator/services/dynamodb/model.js';
import { sortMembers, toComparable } from '../../../packages/simulator/support/dynamodb/differences.js';
import { STATEMENTS } from '../../../packages/simulator/support/dynamodb/partiql-statements.js';
import { Dice, seededRandom } from '../../../packages/simulator/support/dynamodb/random.js';
import {
  OperationWriter,
  type RandomOperation,
} from '../../../packages/simulator/support/dynamodb/random-operations.js';
import { model, PROPERTIES, TABLE, WITH_LOCAL_INDEXES } from '../../../packages/simulator/support/dynamodb/tables.js';
import { DynamoDbLocal } from '../../../tools/local/dynamodb-local.js';
import { install, installed } from '../../../tools/local/localstack/install.js';

/** `DYNAMODB_SEEDS=100 DYNAMODB_FIRST_SEED=1` runs more of them; `DYNAMODB_OPERATIONS` is the length of each. */
const SEEDS = Number(process.env.DYNAMODB_SEEDS ?? 4);
const FIRST = Number(process.env.DYNAMODB_FIRST_SEED ?? 1);
const OPERATIONS = Number(process.env.DYNAMODB_OPERATIONS ?? 300);

const { dynamodbLocal: folder } = process.env.CI ? await install(() => undefined) : (installed() ?? {});

describe.skipIf(folder === undefined)('the model and DynamoDB Local (where LocalStack is installed)', () => {
  let local: DynamoDbLocal;
  beforeAll(async () => {
    local = await DynamoDbLocal.start(folder!);
  });
  afterAll(() => local?.stop());

  test.each(Array.from({ length: SEEDS }, (_, at) => FIRST + at))(
    'answer the same to random requests of seed %i',
    async (seed) => {
      const table = `${TABLE}-${seed}`;
      // Half of the seeds play on a table with local indexes.
      const whole = seed % 2 === 0 ? WITH_LOCAL_INDEXES : PROPERTIES;
      const { StreamSpecification: _, TimeToLiveSpecification: __, ...properties } = whole;
      await local.createTable({ TableName: table, ...properties });
      const { db } = model({}, whole);
      const writer = new OperationWriter(new Dice(seededRandom(seed)), TABLE, seed % 2 === 0 ? ['levels', 'tags'] : []);
      let done = 0;
      for (let at = 0; at < OPERATIONS; at++) {
        const request = writer.next();
        const ours = modelled(db, request);
        const { status, body } = await local.call(request.operation, renamed(request.input, table));
        const theirs = toComparable(request, status, body);
        expect(ours, `seed ${seed}, request ${at}: ${JSON.stringify(request)}`).toEqual(theirs);
        if (status === 200) done++;
      }
      const { body } = await local.call('Scan', { TableName: table, ConsistentRead: true });
      const kept = (items: readonly unknown[]): unknown =>
        items.map((item) => JSON.stringify(sortMembers(item))).sort();
      expect(kept(db.items(TABLE))).toEqual(kept(body.Items as unknown[]));
      expect(done, 'most requests are valid').toBeGreaterThan(OPERATIONS / 3);
    },
    OPERATIONS * 100 + 30_000,
  );

  test('answer the same to statements of PartiQL', async () => {
    const { StreamSpecification: _, TimeToLiveSpecification: __, ...properties } = PROPERTIES;
    await local.createTable({ TableName: TABLE, ...properties });
    const { db } = model();
    for (const Statement of STATEMENTS) {
      const request = { operation: 'ExecuteStatement', input: { Statement } } as const;
      const { status, body } = await local.call(request.operation, request.input);
      expect(modelled(db, request), Statement).toEqual(toComparable(request, status, body));
    }
  });
});

function modelled(db: DynamoDbModel, request: RandomOperation): unknown {
  try {
    return toComparable(request, 200, db.call(request.operation, request.input).output);
  } catch (error) {
    if (error instanceof DynamoDbError) return toComparable(request, error.status, error.body);
    throw error;
  }
}

/** Returns the same request for another table. */
function renamed(value: object, table: string): Record<string, unknown> {
  const text = JSON.stringify(value).replaceAll(`"TableName":"${TABLE}"`, `"TableName":"${table}"`);
  return JSON.parse(text.replace(`"RequestItems":{"${TABLE}"`, `"RequestItems":{"${table}"`)) as Record<
    string,
    unknown
  >;
}
