import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { documentClient } from '../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../packages/kit/aws/ids.js';
import { recordKey } from '../../packages/kit/failures/failure-records.js';
import type { Service } from '../../packages/operator/deployment/services.js';
import { inProcessDynamoDb } from '../support/in-process-dynamodb.js';

/** A service that publishes trips, and one that subscribes to them, for commands that read the feed. */

export const NOW = '2026-12-01T12:00:00.000Z';
export const ago = (minutes: number): string => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();
export const DAY_MINUTES = 1_440;

/** A consumer of trips. */
export const consumer = (name: string, more: Partial<Service['consumers'][number]> = {}) => ({
  name,
  generation: 0,
  queueUrl: `https://queue/${name}`,
  events: [{ service: 'trips', types: ['TripBooked'] }],
  takesCommands: false,
  dedupeWindowSeconds: 35 * 86_400,
  longestRedeliverySeconds: 22 * 86_400,
  projection: false,
  ...more,
});
const serviceOf = (name: string, consumers: Service['consumers']): Service => ({
  name,
  table: name,
  records: `${name}-records`,
  relay: '',
  feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 2 }],
  consumers,
});

/** The service that publishes, and one that subscribes to it. */
export const heardBy = (...consumers: Service['consumers']): readonly Service[] => [
  serviceOf('trips', []),
  serviceOf('hotel', consumers),
];

/** Empties the tables of both services. */
export const emptyTables = () =>
  inProcessDynamoDb(
    { trips: ['pk', 'sk'], hotel: ['pk', 'sk'], 'trips-records': ['pk'], 'hotel-records': ['pk'] },
    { trips: { feed: ['feedPk', 'feedSk'] }, hotel: { feed: ['feedPk', 'feedSk'] } },
  );

export const put = (TableName: string, Item: object) => documentClient.send(new PutCommand({ TableName, Item }));

/** Returns the place in the feed that a commit gets: a UUIDv7 of its time. Those of one time sort by the ends of their ids. */
export const placeInFeed = (at: string, id: string): string =>
  smallestIdAt(Date.parse(at)).slice(0, -12) + Buffer.from(id.slice(-6).padStart(6, '0')).toString('hex');

/** Puts a commit with one event, as the event store writes it. @param at its time */
export async function booked(id: string, at: string, more: object = {}): Promise<void> {
  await put('trips', {
    pk: `Trip#${id}`,
    sk: 'COMMIT#0000000001',
    events: [{ id: `event-${id}`, type: 'TripBooked', schemaVersion: 1, data: '{"seat":"14A"}' }],
    lastVersion: 1,
    trigger: 'request',
    actor: 'user:alice',
    correlationId: 'c',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    at,
    feedPk: `${at.slice(0, 13)}#${id.length % 2}`,
    feedSk: placeInFeed(at, id),
    ...more,
  });
  vi.advanceTimersByTime(60_000); // an index comes a moment later
}

/** Puts a record of a consumer, or of a relay. */
export const record = (name: string, id: string, status: string, table = 'hotel-records') =>
  put(table, { pk: recordKey({ name, generation: 0 }, id), status });
