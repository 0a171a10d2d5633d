import { clock } from '../aws/clock.js';
import { documents } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { gauge } from '../aws/telemetry.js';
import { type MeasuredInbox, measure } from './measure.js';

/** Writes the gauges of an inbox: how many messages wait, how old the oldest one is, how many are parked, and how many failed. */
export async function gauges(inbox: MeasuredInbox): Promise<void> {
  const { owner } = inbox;
  const { pending, parked, oldestSeconds, failed } = await measure(documents, inbox, clock.now());
  gauge(Metric.INBOX_PENDING, pending, owner);
  gauge(Metric.INBOX_PARKED, parked, owner);
  gauge(Metric.INBOX_OLDEST_PENDING, oldestSeconds, owner, 'Seconds');
  gauge(Metric.INBOX_FAILED, failed, owner);
}
