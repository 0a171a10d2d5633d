import { expect, test } from 'vitest';
import { parseServices } from '../../../packages/operator/deployment/services.js';

const consumer = {
  name: 'assigning',
  generation: 0,
  queueUrl: 'https://queue/assigning',
  events: [],
  takesCommands: true,
  longestRedeliverySeconds: 22 * 86_400,
  projection: false,
};

test.each([[3_024_000], [[{ from: '2026-01-01T00:00:00.000Z', seconds: 3_024_000 }]]])(
  'a consumer has the deduplication window of its output, which never changed or did: %j',
  (dedupeWindowSeconds) => {
    const Consumers = JSON.stringify([{ ...consumer, dedupeWindowSeconds }]);
    const FeedShards = '[{"from":"1970-01-01T00:00:00.000Z","shards":8}]';
    const outputs = { ServiceName: 'desk', TableName: 't', RecordsName: 'r', RelayName: 'f', FeedShards, Consumers };
    expect(parseServices({ 'cinema-dev-Desk': outputs })[0]?.consumers[0]?.dedupeWindowSeconds).toEqual(
      dedupeWindowSeconds,
    );
  },
);
