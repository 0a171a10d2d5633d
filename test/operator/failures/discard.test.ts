import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { FailureRecords } from '../../../packages/kit/failures/failure-records.js';
import { timerIdOf } from '../../../packages/kit/saga/contract.js';
import { discard } from '../../../packages/operator/failures/discard.js';
import { findRecord } from '../../../packages/operator/records/consumer-records.js';
import { begun, clockFails, context, emptyTrips, owner, receives, services, stuck } from '../sagas/trips.js';

beforeEach(emptyTrips);
afterEach(() => void vi.useRealTimers());

describe('orderly failures discard, of a saga’s clock', () => {
  const asked = { consumer: owner.name, messageId: timerIdOf('t1', 1) };
  const discarded = (dryRun = false) => discard(context, { ...asked, reason: 'test', dryRun });

  test("a timeout's failure is not discarded while the saga waits, and a retry ends it", async () => {
    await begun('t1');
    await clockFails('t1', 1);
    for (const dryRun of [true, false])
      await expect(discarded(dryRun)).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/^Not discarded: it is the timeout of TripSaga t1, which would wait for ever/),
        next: ['sagas', 'retry', 't1'],
      });
    await receives('t1', { type: 'Retry' });
    await expect(findRecord(documentClient, services, asked)).rejects.toMatchObject({ code: 'not-found' });
  });

  test("a timeout's failure is discarded if the saga is stuck: it has a new one when it continues", async () => {
    await stuck('t1');
    await clockFails('t1', 1);
    expect((await discarded()).text).toMatch(/discarded by \S+: test$/);
  });

  test("a timeout's failure is discarded if a newer timeout is set", async () => {
    await begun('t1');
    await receives('t1', { type: 'Retry' });
    // As one of an earlier generation, whose record a retry doesn't reach.
    const failure = { id: asked.messageId, payload: '{}', error: new Error('of our own') };
    await new FailureRecords('records', owner).put(failure);
    expect((await discarded()).text).toMatch(/discarded by \S+: test$/);
  });
});
