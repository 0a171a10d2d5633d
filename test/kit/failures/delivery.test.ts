import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { REDRIVE, REPLAY, RETURNED, readDelivery, STORED } from '../../../packages/kit/failures/delivery.js';
import { ContractViolation } from '../../../packages/kit/messages/contract.js';
import { buildOwnCommandBody } from '../../../packages/kit/messages/own-command.js';
import { waiterContract } from '../../support/waiter/contract.js';

const sentBy = (app: string) =>
  ({
    body: buildOwnCommandBody(waiterContract, {
      app,
      id: 'm1',
      subject: 'Waiter/w1',
      time: new Date().toISOString(),
      trace: { trigger: 't', actor: 'service:waiter', correlationId: 'c', traceparent: 'p' },
      command: { type: 'Stop', data: { name: 'w1' } },
    }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
  }) as unknown as SQSRecord;

const ours = { app: 'tickets', window: 35 * 86_400 };

test('a message of the own application is read', () => {
  expect(readDelivery(sentBy('tickets'), ours).message).toMatchObject({ id: 'm1', source: 'tickets.waiter' });
});

test('attributes of messages keep their names: queues have such messages during a deployment', () =>
  expect([REDRIVE, STORED, RETURNED, REPLAY]).toEqual(['redrive', 'stored', 'returned', 'replay']));

test('a message of another application is refused, whatever its service is called', () => {
  expect(readDelivery(sentBy('orderly'), ours).message).toEqual(
    new ContractViolation('INVALID_ENVELOPE', 'its source is of another application'),
  );
});

describe('an event that is older than the deduplication window', () => {
  const DAY = 86_400_000;
  const daysAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString();
  /** An event of 400 days ago, or a command. */
  const old = ({ replayed, to }: { readonly replayed: boolean; readonly to?: string }) => {
    const detail = {
      id: 'e1',
      source: 'tickets.waiter',
      ...(to === undefined ? {} : { to }),
      type: 'Stopped',
      subject: 'Waiter/w1',
      time: daysAgo(400),
      dataschema: 'urn:tickets:waiter:Stopped:1',
      data: {},
      sequence: 1,
      epoch: 0,
      correlationid: 'c',
      causationid: 'c',
      traceparent: 'p',
      actor: 'a',
    };
    return {
      body: JSON.stringify({ source: detail.source, 'detail-type': detail.type, detail }),
      attributes: { ApproximateReceiveCount: '1' },
      messageAttributes: replayed ? { [REPLAY]: { stringValue: 'run' } } : {},
    } as unknown as SQSRecord;
  };
  const isTooOld = (record: SQSRecord, since?: string): boolean => {
    const { message, tooOld } = readDelivery(record, { ...ours, since });
    expect(message).toHaveProperty('id', 'e1');
    return tooOld !== undefined;
  };

  test('passes the age gate if it is replayed to a consumer whose first records still exist', () => {
    expect(isTooOld(old({ replayed: true }), daysAgo(0))).toBe(false);
    expect(isTooOld(old({ replayed: true }), daysAgo(33.9))).toBe(false);
  });

  test.each<[string, Parameters<typeof old>[0], string | undefined]>([
    ['nobody replays it', { replayed: false }, daysAgo(0)],
    ['nobody says since when the consumer is deployed', { replayed: true }, undefined],
    ["the consumer's first records may have expired", { replayed: true }, daysAgo(34.1)],
    ['the consumer existed then', { replayed: true }, daysAgo(500)],
    ['it is a command', { replayed: true, to: 'waiter' }, daysAgo(0)],
  ])('an old event is quarantined if %s', (_, event, since) => expect(isTooOld(old(event), since)).toBe(true));
});
