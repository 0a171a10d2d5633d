import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { expiryOf } from '../aws/dedupe-window.js';
import { documents } from '../aws/dynamodb.js';
import { API_RECORDS } from './contract.js';
import { type IdempotencyKey, refuseExpired, refuseReused } from './idempotency-key.js';
import type { Earlier, KeyRecords, RequestRecord } from './request-record.js';

/**
 * Creates the record of a request that has a key. It is an item of its own and expires after the deduplication window in
 * force when the request was accepted. An issued key is refused by its own age afterwards (`refuseExpired`), so a change of the
 * window opens nothing.
 */
export function keyRecord(key: IdempotencyKey, { table: TableName, windowSeconds }: KeyRecords): RequestRecord {
  const { scope, requestHash, formerHash } = key;
  const Key = { pk: API_RECORDS + scope };
  return {
    scope,
    requestHash,
    formerHash,
    refuseReused,
    async find() {
      const { Item } = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item as Earlier | undefined;
    },
    async claim(trigger) {
      if (key.expiredFor !== undefined) refuseExpired(key.expiredFor);
      return (version, state) => {
        const isNew = 'attribute_not_exists(pk)';
        const answer: Earlier = { version, requestHash, trigger, ...(state ? { state } : {}) };
        return {
          Put: {
            TableName,
            Item: { ...Key, ...answer, expiresAt: expiryOf(windowSeconds, clock.epochSeconds()) },
            ConditionExpression: isNew,
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        };
      };
    },
    // The item that refuses a claim is the record itself.
    earlier: (found) => found as unknown as Earlier,
    // A key has no session.
    repeated: async () => undefined,
  };
}
