import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { REDRIVE } from '../../../packages/kit/failures/delivery.js';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { showInbox } from '../../../packages/operator/inboxes/inbox.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { PARCELS } from '../../support/inboxes/contract.js';
import { Parcels, parcelId, Refused } from './parcels.js';

let parcels: Parcels;
beforeAll(() => functionEnvironment());
beforeEach(() => {
  parcels = new Parcels(undefined, { payloads: 'compressed' });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const FORMS = ['payload', 'payloadDeflate', 'payloadGzip'];
const formsOf = async (name: string) => {
  const record = await parcels.record(name);
  return FORMS.filter((form) => form in record);
};
/** Returns the write units that some work used. */
async function unitsOf(work: () => Promise<unknown>): Promise<number> {
  const before = parcels.calls.length;
  await work();
  return (parcels.calls as unknown as { writeUnits: number }[])
    .slice(before)
    .reduce((sum, { writeUnits }) => sum + writeUnits, 0);
}
const fail = async (name: string) => {
  const { handle } = parcels;
  parcels.handle = () => Promise.reject(new Refused());
  await parcels.run(name);
  parcels.handle = handle;
};

describe('an inbox that stores messages compressed', () => {
  test('has each effect once, and its messages are read as they came', async () => {
    const names: string[] = [];
    parcels.handle = (name) => {
      names.push(name);
      return { decide: async () => [] };
    };
    await parcels.receive([parcels.message('a')]);
    expect(await formsOf('a')).toEqual(['payloadDeflate']);
    await parcels.receive([parcels.message('a')]);
    await parcels.run('a');
    await parcels.run('a');
    expect([names, (await parcels.record('a')).status]).toEqual([['a'], 'PROCESSED']);
  });

  test('stores a message of a shop in one unit each time, where its text takes two', async () => {
    const trace = `00-${'1a2b3c4d'.repeat(4)}-${'9f8e7d6c'.repeat(2)}-01`;
    const long = (name: string) =>
      parcels.message(name, {
        correlationid: '0198a3b4-7c1d-7000-8000-000000000001',
        causationid: '0198a3b4-7c1d-7000-8000-0000000000ff',
        traceparent: trace,
        actor: `service:${'s'.repeat(200)}`,
        onbehalfof: `customer:${'s'.repeat(200)}`,
      });
    const compressed = await unitsOf(() => parcels.receive([long('a')]));
    parcels.deployReceiver('plain');
    const plain = await unitsOf(() => parcels.receive([long('b')]));
    // The item, and its entry in the index of due messages.
    expect([compressed, plain]).toEqual([2, 4]);
  });

  test('its failures are shown to operators, and redriven', async () => {
    await parcels.receive([parcels.message('a')]);
    await fail('a');
    const context = {
      documents: documentClient,
      clock,
      services: [
        {
          name: 'desk',
          table: 'table',
          records: 'records',
          consumers: [{ ...PARCELS, queueUrl: '', inbox: { mode: 'single', queueUrl: '' } }],
        },
      ],
      command: commandFormatter('orderly'),
    } as unknown as CommandContext;
    const { text } = await showInbox(context, { consumer: 'parcels', messageId: parcelId('a'), payload: true });
    expect(text).toContain('"detail-type":"ParcelSent"');
    await parcels.receive([parcels.message('a')], { [REDRIVE]: 'again' });
    await parcels.run('a');
    expect([await parcels.times('a'), await formsOf('a')]).toEqual([1, ['payloadDeflate']]);
  });

  test('a message in a form of a newer release is tried again, since a deployment may be under way', async () => {
    await parcels.receive([parcels.message('a')]);
    const newer = { ...(await parcels.record('a')), payloadDeflate: Buffer.of(2, 0) };
    await documentClient.send(new PutCommand({ TableName: 'records', Item: newer }));
    await parcels.run('a');
    expect(await parcels.record('a')).toMatchObject({ status: 'PENDING', failures: [{ name: 'UnknownForm' }] });
  });
});

describe('a deployment that changes the form', () => {
  test.each([
    ['plain', 'compressed', ['payloadDeflate']],
    ['compressed', 'plain', ['payload']],
  ] as const)(
    'from %s to %s: what waits and what has failed is processed, and redriven in the new form',
    async (before, after, form) => {
      parcels.deployReceiver(before);
      await parcels.receive(['waits', 'failed'].map((name) => parcels.message(name)));
      await fail('failed');
      parcels.deployReceiver(after);
      await parcels.receive(['waits', 'new'].map((name) => parcels.message(name)));
      await parcels.receive([parcels.message('failed')], { [REDRIVE]: 'again' });
      expect(await formsOf('failed')).toEqual(form);
      for (const name of ['waits', 'failed', 'new']) await parcels.run(name);
      const times = await Promise.all(['waits', 'failed', 'new'].map((name) => parcels.times(name)));
      expect(times).toEqual([1, 1, 1]);
    },
  );
});
