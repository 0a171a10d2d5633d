import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documents } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { Contended, type LaneEntrance } from '../../../packages/kit/idempotent-consumer/lane-entrance.js';
import { on } from '../../../packages/kit/idempotent-consumer/listening.js';
import type { Decide, Refused } from '../../../packages/kit/idempotent-consumer/process-once.js';
import { lane } from '../../../packages/kit/lane/lane.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { commandsTo } from '../../../packages/kit/messages/subscriptions.js';
import { commandMessage } from '../../../packages/kit/testing/messages.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** Entrance of a lane that loads nothing: it learns from the lost races of its own instance. */

const Visit = z.object({ showId: z.string(), visitor: z.string() });
const contract = { service: 'door', events: {}, commands: { LetIn: { version: 1, data: Visit } } } as const;
const commands = commandsTo(contract, { from: [{ service: 'shop', events: {} }] });
const doorLane = lane(commands, 'LetIn', {
  keyOf: ({ showId, visitor }) => (visitor === 'group' ? undefined : showId),
  decide: (requests) => ({ effects: requests.map(() => []) }),
});
const source = on(commands, { LetIn: () => ({ decide: async () => [] }) });
/** Lost races within a second from which on a key is hot. */
const CONFLICTS = 3;

const messageOf = (visitor: string): Envelope =>
  commandMessage(contract, { type: 'LetIn', data: { showId: 'tonight', visitor } }, 'shop', { id: visitor });
const contended = (...visitors: readonly string[]) =>
  visitors.map((visitor) => ({ key: 'tonight', message: messageOf(visitor) }));

/** A table of this file alone: the tests of a worker share their process. */
const TABLE = 'door';

let at: LaneEntrance;
let now: number;
let entranceOf: typeof import('../../../packages/kit/lane/entrance.js').entranceOf;
beforeAll(async () => {
  functionEnvironment({ [Env.TABLE]: TABLE, CONSUMER: 'door', CONSUMER_GENERATION: '0', LANE_HOT_KEYS: '["always"]' });
  process.env.LANE_CONFLICTS_PER_SECOND = String(CONFLICTS);
  ({ entranceOf } = await import('../../../packages/kit/lane/entrance.js'));
});
beforeEach(() => {
  now = Date.parse('2026-03-01T00:00:00.000Z');
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now).toISOString());
  inProcessDynamoDb({ [TABLE]: ['pk', 'sk'] });
  at = entranceOf(doorLane);
});
afterEach(() => void vi.restoreAllMocks());

const pass = (milliseconds: number) => {
  now += milliseconds;
};
const isHot = (key = 'tonight') => at.hotAmong([{ key, message: messageOf('any') }]).length === 1;

/** Returns the attempts of one message, as the consumer makes them. */
function attemptsOf(visitor: string): Decide {
  const message = messageOf(visitor);
  const { event, handle } = at.watched(source).read(message);
  return (handle({ envelope: message, event, trace: {} as never }) as { readonly decide: Decide }).decide;
}

/** A message whose transaction meets another one, so many times. */
async function losesRaces(visitor: string, times: number): Promise<void> {
  const decide = attemptsOf(visitor);
  await decide(undefined);
  for (let lost = 0; lost < times; lost++) await decide(undefined);
}

describe('the entrance of a lane that loads nothing', () => {
  test('takes keys that the settings name, and no message without a key', () => {
    expect([isHot('always'), isHot()]).toEqual([true, false]);
    const message = messageOf('group');
    expect(at.keyOf(message, { type: 'LetIn', data: message.data } as never)).toBeUndefined();
    // A batch with many messages of a key says nothing: their transactions may not meet.
    expect(at.hotAmong(contended('a', 'b', 'c'))).toEqual([]);
  });

  test('takes a key that has lost so many races within a second, and the message that has lost the last of them', async () => {
    await losesRaces('a', CONFLICTS - 1);
    expect(isHot()).toBe(false);
    await expect(losesRaces('b', 1)).rejects.toThrow(Contended);
    expect(isHot()).toBe(true);
  });

  test('does not count what a condition has refused, nor the messages without a key', async () => {
    const decide = attemptsOf('a');
    await decide(undefined);
    for (let refused = 0; refused < 2 * CONFLICTS; refused++) await decide({} as Refused);
    await losesRaces('group', 2 * CONFLICTS);
    expect(isHot()).toBe(false);
  });

  test('leaves a key to plain transactions again when it is calm for 30 seconds', async () => {
    await expect(losesRaces('a', CONFLICTS)).rejects.toThrow(Contended);
    pass(29_999);
    expect(isHot()).toBe(true);
    pass(1);
    expect(isHot()).toBe(false);
  });

  test('keeps a key for as long as the messages that it stores would lose as many races', async () => {
    await expect(losesRaces('a', CONFLICTS)).rejects.toThrow(Contended);
    pass(20_000);
    const messages = contended('b', 'c', 'd', 'e');
    expect(await at.store(messages)).toEqual(new Set(['b', 'c', 'd', 'e'].map((id) => `app.shop:${id}`)));
    pass(20_000);
    expect(isHot()).toBe(true);
    await at.store(contended('f', 'g'));
    pass(20_000);
    expect(isHot()).toBe(false);
    const { Items = [] } = await documents.send(new ScanCommand({ TableName: TABLE }));
    expect(Items).toHaveLength(6);
    expect(Items[0]).toMatchObject({ pk: 'LANE#lane#tonight', sk: expect.stringMatching(/^REQUEST#door@0#/) });
  });
});
