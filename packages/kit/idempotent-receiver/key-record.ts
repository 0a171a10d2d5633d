import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { computeExpiry } from '../aws/dedupe-window.js';
import { documentClient } from '../aws/dynamodb.js';
import { API_RECORDS } from './contract.js';
import { type IdempotencyKey, refuseExpired, refuseReused } from './idempotency-key.js';
import type { EarlierRequest, KeyRecords, RequestRecord } from './request-record.js';

/**
 * Creates the record of a request that has a key. It is an item of its own and expires after the deduplication window in
 * force when the request was accepted. An issued key is refused by its own age afterwards (`refuseExpired`), so a change of the
 * window opens nothing.
 */
export function createKeyRecord(key: IdempotencyKey, { table: TableName, windowSeconds }: KeyRecords): RequestRecord {
  const { scope, requestHash, formerHash } = key;
  const Key = { pk: API_RECORDS + scope };
  return {
    scope,
    requestHash,
    formerHash,
    refuseReused,
    async find() {
      const { Item } = await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item as EarlierRequest | undefined;
    },
    async claim(trigger) {
      if (key.expiredFor !== undefined) refuseExpired(key.expiredFor);
      return (version, state) => {
        const isNew = 'attribute_not_exists(pk)';
        const answer: EarlierRequest = { version, requestHash, trigger, ...(state ? { state } : {}) };
        return {
          Put: {
            TableName,
            Item: { ...Key, ...answer, expiresAt: computeExpiry(windowSeconds, clock.epochSeconds()) },
            ConditionExpression: isNew,
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        };
      };
    },
    // The item that refuses a claim is the record itself.
    readEarlier: (found) => found as unknown as EarlierRequest,
    // A key has no session.
    recordRepeat: async () => undefined,
  };
}
