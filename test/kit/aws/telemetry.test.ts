import type { SQSRecord } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Metric } from '../../../packages/kit/aws/metric-names.js';
import type * as Telemetry from '../../../packages/kit/aws/telemetry.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { toQueueBody } from '../../support/consumed.js';
import { parcels, shopContract } from '../../support/inboxes/contract.js';

type Line = Readonly<Record<string, unknown>>;
const lines: Line[] = [];
let telemetry: typeof Telemetry;

beforeEach(async () => {
  lines.length = 0;
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'shop');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Orderly/test');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'INFO');
  // The console of this process, not one that is made of its streams.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  for (const level of ['log', 'info'] as const)
    vi.spyOn(console, level).mockImplementation((line) => void lines.push(JSON.parse(String(line))));
  vi.resetModules();
  telemetry = await import('../../../packages/kit/aws/telemetry.js');
  return () => vi.unstubAllEnvs();
});

const METRIC = { Namespace: 'Orderly/test', Dimensions: [['service']] };

describe('the line of an outcome', () => {
  test('what was counted is written with it, by the namespace and the dimension that alarms and the dashboard read', () => {
    telemetry.count(Metric.DUPLICATES_SUPPRESSED);
    telemetry.recordSeconds(Metric.TIMER_LATENESS, 0.2);
    telemetry.logOutcome('duplicate', { consumer: 'shop-parcels' });
    const Metrics = [
      { Name: 'DuplicatesSuppressed', Unit: 'Count' },
      { Name: 'TimerLateness', Unit: 'Seconds' },
    ];
    expect(lines).toEqual([
      {
        level: 'INFO',
        message: 'duplicate',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        service: 'shop',
        consumer: 'shop-parcels',
        _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [{ ...METRIC, Metrics }] },
        DuplicatesSuppressed: 1,
        TimerLateness: 0.2,
      },
    ]);
  });

  test('it counts once: neither the next line nor the end of the invocation has it again', () => {
    telemetry.count(Metric.DUPLICATES_SUPPRESSED);
    telemetry.logOutcome('duplicate');
    telemetry.logOutcome('applied');
    telemetry.publishMetrics();
    expect(lines.map((line) => 'DuplicatesSuppressed' in line)).toEqual([true, false]);
  });

  test('what is counted without a line gets one at the end of the invocation', () => {
    telemetry.logOutcome('applied');
    telemetry.count(Metric.TRANSIENT_FAILURES);
    telemetry.publishMetrics();
    expect(lines).toMatchObject([{ message: 'applied' }, { service: 'shop', TransientFailures: 1 }]);
  });
});

test('a message leaves one line, which names it and has its age', async () => {
  const { readDelivery } = await import('../../../packages/kit/failures/delivery.js');
  const { MessageLog } = await import('../../../packages/kit/idempotent-consumer/message-log.js');
  const source = on(parcels, { ParcelSent: () => ({ decide: async () => [] }) });
  const message = eventMessage(shopContract, { type: 'ParcelSent', data: { name: 'p' } }, { subject: 'Parcel/p' });
  const sqs = { messageId: 'm', body: toQueueBody(message), messageAttributes: {} };
  const record = { ...sqs, attributes: { ApproximateReceiveCount: '2' } } as unknown as SQSRecord;
  new MessageLog('desk-parcels', [source]).done('applied', readDelivery(record, { app: 'app', window: 35 * 86_400 }));
  telemetry.publishMetrics();
  const { level, timestamp, service, ...named } = lines[0] ?? {};
  expect(lines).toHaveLength(1);
  expect({ ...named, age: typeof named.age }).toEqual({
    message: 'applied',
    consumer: 'desk-parcels',
    eventId: message.id,
    eventType: 'ParcelSent',
    subject: 'Parcel/p',
    correlationId: message.correlationid,
    messageId: 'm',
    attempts: 2,
    age: 'number',
  });
});
