import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { expect, test } from 'vitest';
import { judgePublication, readRelays } from '../../../packages/operator/deployment/relays.js';

const AT = '2026-12-01T12:00:30.000Z';

/** @param reading minute and lag of the newest metric */
const judged = (now: string, reading?: readonly [minute: string, lagSeconds: number]) => {
  const readings = new Map(
    reading ? [['trips', { minute: `2026-12-01T${reading[0]}:00.000Z`, lagSeconds: reading[1] }]] : [],
  );
  return judgePublication({ now: `2026-12-01T${now}.000Z`, readings }, 'trips', AT);
};

test.each([
  ['it has read younger ones since', '12:05:00', ['12:02', 0.4], 'published'],
  ['its slowest read is past it', '12:05:00', ['12:04', 199], 'published'],
  ['its slowest read is as old', '12:05:00', ['12:04', 210], 'waiting'],
  ['one of its reads may have failed', '12:05:00', ['12:04', 200], 'waiting'],
  ['it is behind in the same minute', '12:00:50', ['12:00', 19], 'waiting'],
  ['it is not behind in the same minute', '12:00:50', ['12:00', 1], 'unknown'],
  ['it read in the same minute, and had nothing to try again for minutes', '12:04:01', ['12:00', 0.4], 'published'],
  ['it read in the same minute, and newer values may not be there yet', '12:04:00', ['12:00', 0.4], 'unknown'],
  ['its newest metric is older', '12:05:00', ['11:59', 0.4], 'unknown'],
  ['its newest metric is older, and it was behind', '12:01:00', ['11:59', 500], 'unknown'],
] as const)('the publication follows from the relay: %s', (_, now, reading, state) => {
  expect(judged(now, reading)).toMatchObject({ state });
});

test('says what is known of a relay that reads nothing, or whose metric can not be read', async () => {
  expect(judged('12:20:00').text).toBe(
    'not known whether it is published: the relay has read nothing for 15 min. Everything is published, unless it is switched off or throttled',
  );
  const refusing = { send: () => Promise.reject(Object.assign(new Error(), { name: 'AccessDenied' })) };
  const relays = await readRelays(refusing as unknown as CloudWatchClient, [{ name: 'trips', relay: 'relay' }], AT);
  expect(judgePublication(relays, 'trips', AT)).toEqual({
    state: 'unknown',
    text: "not known whether it is published: the metric of the relay can't be read (AccessDenied)",
  });
});

test('reads the newest metric of each relay, in seconds', async () => {
  const answering = {
    send: async () => ({
      MetricDataResults: [
        {
          Id: 'm0',
          Values: [1_500, 90_000],
          Timestamps: [new Date('2026-12-01T12:04:00Z'), new Date('2026-12-01T12:03:00Z')],
        },
        { Id: 'm1', Values: [], Timestamps: [] },
      ],
    }),
  };
  const services = ['trips', 'halls'].map((name) => ({ name, relay: `${name}-relay` }));
  const { readings } = await readRelays(answering as unknown as CloudWatchClient, services, AT);
  expect([...readings]).toEqual([['trips', { minute: '2026-12-01T12:04:00.000Z', lagSeconds: 1.5 }]]);
});
