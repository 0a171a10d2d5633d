import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import type { Delivery } from '../../../packages/kit/failures/delivery.js';
import type { LaneEntrance } from '../../../packages/kit/idempotent-consumer/lane-entrance.js';
import { MessageLog } from '../../../packages/kit/idempotent-consumer/message-log.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import type { Decide, RefusedTransaction } from '../../../packages/kit/idempotent-consumer/process-once.js';
import { Contended } from '../../../packages/kit/lane/entrance.js';
import { createLane } from '../../../packages/kit/lane/lane.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { commandsTo } from '../../../packages/kit/messages/subscriptions.js';
import { commandMessage } from '../../../packages/kit/testing/messages.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** Entrance of a lane that loads nothing: it learns from the lost races of its own instance. */

const Visit = z.object({ showId: z.string(), visitor: z.string() });
const contract = { service: 'door', events: {}, commands: { LetIn: { version: 1, data: Visit } } } as const;
const commands = commandsTo(contract, { from: [{ service: 'shop', events: {} }] });
const doorLane = createLane(commands, 'LetIn', {
  keyOf: ({ showId, visitor }) => (visitor === 'group' ? undefined : showId),
  decide: (requests) => ({ effects: requests.map(() => []) }),
});
const source = on(commands, { LetIn: () => ({ decide: async () => [] }) });
/** Lost races within a second from which on a key is hot. */
const CONFLICTS = 3;

const messageOf = (visitor: string): Envelope =>
  commandMessage(contract, { type: 'LetIn', data: { showId: 'tonight', visitor } }, 'shop', { id: visitor });
const deliveryOf = (visitor: string, mark: Partial<Delivery> = {}): Delivery =>
  ({
    record: { messageId: visitor },
    attempts: 1,
    message: messageOf(visitor),
    returned: false,
    replayed: false,
    ...mark,
  }) as Delivery;
/** Stores those of the messages that take the lane. @returns their ids */
const storedOf = async (deliveries: readonly Delivery[]): Promise<readonly unknown[]> =>
  [...(await at.storeHot(deliveries))].map(({ message }) => (message as Envelope).id);
const deliveriesOf = (...visitors: readonly string[]) => visitors.map((visitor) => deliveryOf(visitor));

/** A table of this file alone: the tests of a worker share their process. */
const TABLE = 'door';

let at: LaneEntrance;
let now: number;
let createLaneEntrance: typeof import('../../../packages/kit/lane/entrance.js').createLaneEntrance;
beforeAll(async () => {
  functionEnvironment({ [Env.TABLE]: TABLE, CONSUMER: 'door', CONSUMER_GENERATION: '0', LANE_HOT_KEYS: '[]' });
  process.env.LANE_CONFLICTS_PER_SECOND = String(CONFLICTS);
  ({ createLaneEntrance } = await import('../../../packages/kit/lane/entrance.js'));
});
beforeEach(() => {
  now = Date.parse('2026-03-01T00:00:00.000Z');
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now).toISOString());
  inProcessDynamoDb({ [TABLE]: ['pk', 'sk'] });
  at = createLaneEntrance(doorLane)({ sources: [source], commanders: ['shop'], log: new MessageLog('door', [source]) });
});
afterEach(() => void vi.restoreAllMocks());

const pass = (milliseconds: number) => {
  now += milliseconds;
};
const isHot = async (): Promise<boolean> => (await storedOf([deliveryOf('any')])).length === 1;

/** Returns the attempts of one message, as the consumer makes them. */
function attemptsOf(visitor: string): Decide {
  const message = messageOf(visitor);
  const [watched = source] = at.sourcesFor(deliveryOf(visitor));
  const { event, handle } = watched.read(message);
  return (handle({ envelope: message, event, trace: {} as never }) as { readonly decide: Decide }).decide;
}

/** A message whose transaction meets another one, so many times. */
async function losesRaces(visitor: string, times: number): Promise<void> {
  const decide = attemptsOf(visitor);
  await decide(undefined);
  for (let lost = 0; lost < times; lost++) await decide(undefined);
}

describe('the entrance of a lane that loads nothing', () => {
  test('takes keys that the settings name, and no message without a key', async () => {
    process.env.LANE_HOT_KEYS = '["tonight"]';
    const open = createLaneEntrance(doorLane);
    const always = open({ sources: [source], commanders: ['shop'], log: new MessageLog('door', [source]) });
    process.env.LANE_HOT_KEYS = '[]';
    const [alone, group] = deliveriesOf('alone', 'group');
    expect(await always.storeHot([alone, group] as Delivery[])).toEqual(new Set([alone]));
    // A batch with many messages of a key says nothing: their transactions may not meet.
    expect(await storedOf(deliveriesOf('a', 'b', 'c'))).toEqual([]);
  });

  test('takes no message that is replayed, redriven, returned or too old', async () => {
    await expect(losesRaces('a', CONFLICTS)).rejects.toThrow(Contended);
    const marks = [{ replayed: true }, { recorded: {} }, { returned: true }, { tooOld: new Error() }];
    const refused = marks.map((mark, number) => deliveryOf(`${number}`, mark as Partial<Delivery>));
    expect(await storedOf([...refused, deliveryOf('b')])).toEqual(['b']);
    for (const delivery of refused) {
      expect(await at.storeAfter(new Contended('hot'), delivery)).toBe(false);
      expect(at.sourcesFor(delivery)).toEqual([source]);
    }
  });

  test('stores a message after it lost its race, and none after another error', async () => {
    const [delivery] = deliveriesOf('a') as [Delivery];
    expect(await at.storeAfter(new Error('throttled'), delivery)).toBe(false);
    expect(await at.storeAfter(new Contended('hot'), delivery)).toBe(true);
  });

  test('takes a key that has lost so many races within a second, and the message that has lost the last of them', async () => {
    await losesRaces('a', CONFLICTS - 1);
    expect(await isHot()).toBe(false);
    await expect(losesRaces('b', 1)).rejects.toThrow(Contended);
    expect(await isHot()).toBe(true);
  });

  test('the entrance counts neither refusals by a condition nor messages without a key', async () => {
    const decide = attemptsOf('a');
    await decide(undefined);
    for (let refused = 0; refused < 2 * CONFLICTS; refused++) await decide({} as RefusedTransaction);
    await losesRaces('group', 2 * CONFLICTS);
    expect(await isHot()).toBe(false);
  });

  test('leaves a key to plain transactions again when it is calm for 30 seconds', async () => {
    await expect(losesRaces('a', CONFLICTS)).rejects.toThrow(Contended);
    pass(29_999);
    expect(await isHot()).toBe(true);
    pass(1);
    expect(await isHot()).toBe(false);
  });

  test('keeps a key for as long as the messages that it stores would lose as many races', async () => {
    await expect(losesRaces('a', CONFLICTS)).rejects.toThrow(Contended);
    pass(20_000);
    expect(await storedOf(deliveriesOf('b', 'c', 'd', 'e'))).toEqual(['b', 'c', 'd', 'e']);
    pass(20_000);
    expect(await storedOf(deliveriesOf('f', 'g'))).toEqual(['f', 'g']);
    pass(20_000);
    expect(await isHot()).toBe(false);
    const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: TABLE }));
    expect(Items).toHaveLength(6);
    expect(Items[0]).toMatchObject({ pk: 'LANE#lane#tonight', sk: expect.stringMatching(/^REQUEST#door@0#/) });
  });
});
