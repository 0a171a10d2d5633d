import { clock } from '../aws/clock.js';
import { documentClient } from '../aws/dynamodb.js';
import { InboxMetric } from '../aws/metric-names.js';
import { recordGauge } from '../aws/telemetry.js';
import { type MeasuredInbox, measureInbox } from './measure.js';

/** Writes the gauges of an inbox: how many messages wait, how old the oldest one is, how many are parked, and how many failed. */
export async function recordGauges(inbox: MeasuredInbox): Promise<void> {
  const { owner } = inbox;
  const { pending, parked, oldestSeconds, failed } = await measureInbox(documentClient, inbox, clock.now());
  recordGauge(InboxMetric.PENDING, pending, owner);
  recordGauge(InboxMetric.PARKED, parked, owner);
  recordGauge(InboxMetric.OLDEST_PENDING, oldestSeconds, owner, 'Seconds');
  recordGauge(InboxMetric.FAILED, failed, owner);
}
