import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { logger } from '../../../packages/kit/aws/telemetry.js';
import { findLongestPause } from '../../../packages/operator/auditor/longest-pause.js';
import { forgetPause, notePause, PAUSES } from '../../../packages/operator/consumers/pauses.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const NOW = '2026-12-05T12:00:00.000Z';
const SERVICES = ['trips', 'hotel'].map(
  (name): Service => ({
    ...{ name, table: name, records: '', relay: '', feedShards: [], consumers: [] },
  }),
);
const [TRIPS, HOTEL] = SERVICES as [Service, Service];
const paused = (service: Service, consumer: string, since: string) =>
  notePause(documentClient, service, { consumer, since, by: 'olga', reason: 'about alice', mappings: [] });
const longest = () => findLongestPause(documentClient, SERVICES, NOW);

beforeEach(() => void inProcessDynamoDb({ trips: ['pk', 'sk'], hotel: ['pk', 'sk'] }));
afterEach(() => void vi.restoreAllMocks());

test('the longest pause of all services counts, until it is over', async () => {
  expect(await longest()).toBe(0);
  await paused(TRIPS, 'seats', '2026-12-05T11:00:00.000Z');
  await paused(HOTEL, 'rooms', '2026-12-01T12:00:00.000Z');
  expect(await longest()).toBe(4 * 86_400);
  await forgetPause(documentClient, HOTEL, 'rooms');
  expect(await longest()).toBe(3_600);
});

test('a pause that this release can not read has no time, and hides no other', async () => {
  await documentClient.send(new PutCommand({ TableName: 'hotel', Item: { pk: PAUSES, sk: 'rooms', until: 'x' } }));
  expect(await longest()).toBe(0);
  await paused(TRIPS, 'seats', '2026-12-05T11:00:00.000Z');
  expect(await longest()).toBe(3_600);
});

test('the log names a consumer that is paused for a day, without what an operator wrote', async () => {
  const warn = vi.spyOn(logger, 'warn').mockImplementation(() => undefined);
  await paused(TRIPS, 'seats', '2026-12-04T12:00:01.000Z');
  await longest();
  expect(warn).not.toHaveBeenCalled();
  await paused(HOTEL, 'rooms', '2026-12-04T12:00:00.000Z');
  await longest();
  expect(warn.mock.calls).toEqual([['a consumer is paused for long', { consumer: 'rooms', seconds: 86_400 }]]);
});
