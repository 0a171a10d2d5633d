import { clock } from '../aws/clock.js';
import { documentClient } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { recordGauge } from '../aws/telemetry.js';
import { type MeasuredInbox, measureInbox } from './measure.js';

/** Writes the gauges of an inbox: how many messages wait, how old the oldest one is, how many are parked, and how many failed. */
export async function recordGauges(inbox: MeasuredInbox): Promise<void> {
  const { owner } = inbox;
  const { pending, parked, oldestSeconds, failed } = await measureInbox(documentClient, inbox, clock.now());
  recordGauge(Metric.INBOX_PENDING, pending, owner);
  recordGauge(Metric.INBOX_PARKED, parked, owner);
  recordGauge(Metric.INBOX_OLDEST_PENDING, oldestSeconds, owner, 'Seconds');
  recordGauge(Metric.INBOX_FAILED, failed, owner);
}
