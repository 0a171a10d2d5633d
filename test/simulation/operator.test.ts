import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { APP } from '../../lambdas/app.js';
import { command } from '../../lambdas/operations/program.js';
import { findRunbookPage } from '../../lambdas/operations/runbook.js';
import type { Outcome } from '../../packages/operator/cli/outcome.js';
import { discard } from '../../packages/operator/failures/discard.js';
import { listFailureGroups } from '../../packages/operator/groups/list.js';
import { buildSagaMessage, type SagaRequest } from '../../packages/operator/sagas/saga-command.js';
import { listSagas } from '../../packages/operator/sagas/saga-list.js';
import { findSaga } from '../../packages/operator/sagas/sagas.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { showOrder } from '../../tools/operator/order.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { holdMessages } from '../support/simulation/holding.js';
import { createAttemptReader, createDocumentClient, createRelayReader } from '../support/simulation/operator.js';
import { Orderly } from '../support/simulation/orderly.js';
import { cancellationOf, orderAt, orderOf, productOf, stocked } from './scenarios/shop.js';

const deployment = loadSharedDeployment(prodAssembly());

let orderly: Orderly;
let documents: DynamoDBDocumentClient;
beforeEach(() => {
  orderly = new Orderly(new Cloud(deployment, { seed: 'operator' }), ['rewards', 'reports']);
  documents = createDocumentClient(orderly.cloud);
});

const clock = { now: () => new Date(orderly.cloud.world.now).toISOString() };

/** The commands themselves, at this moment of the world. */
const operator = {
  order: (orderId: string, verbose = false): Promise<Outcome> =>
    showOrder(
      {
        app: APP.name,
        environment: 'prod',
        documents,
        clock,
        services: orderly.services,
        endpoint: { url: undefined, region: 'eu-west-1' },
      },
      { orderId, payload: false, verbose },
      createRelayReader(orderly.cloud),
      createAttemptReader(orderly.cloud),
    ),
  groups: (): Promise<Outcome> =>
    listFailureGroups(
      { app: 'orderly', documents, clock, services: orderly.services, command, pageOn: findRunbookPage },
      { consumer: undefined },
    ),
  discard: (consumer: string, messageId: string, reason: string): Promise<Outcome> =>
    discard(
      { documents, clock, services: orderly.services, actor: async () => 'olga' },
      { consumer, messageId, reason, dryRun: false },
    ),
  sagas: (): Promise<Outcome> => listSagas({ documents, clock, services: orderly.services, command }, { limit: 50 }),
  /** Puts the command's message into its queue: the command would wait for the result by the real clock. */
  tell: async (request: SagaRequest): Promise<void> => {
    const saga = await findSaga(documents, orderly.services, request.sagaId);
    const { body } = buildSagaMessage(saga, request, { app: APP.name, by: 'olga', time: clock.now() });
    orderly.findQueue(saga.kind.consumer.name).send({ body });
  },
};

/** Alice places an order of one piece. */
async function order(key = 'place'): Promise<string> {
  const { reply } = await orderly.call(orderOf('alice', key, ['TEA-1']));
  return String(reply.body.orderId);
}

/** Answers a command in its receiver's place: that it can't be done. */
function refuse(body: string | undefined): void {
  const { detail } = JSON.parse(body ?? '{}');
  const { to, ...rest } = detail;
  const type = 'SagaReplyRequested';
  const source = `orderly.${to}`;
  const data = { ...detail.data, outcome: 'REFUSED', reason: 'NOT_AUTHORIZED' };
  const answer = { ...rest, id: `${detail.id}-answer`, source, type, dataschema: `urn:orderly:${to}:${type}:1`, data };
  orderly.findQueue('orders-saga').send({ body: JSON.stringify({ source, 'detail-type': type, detail: answer }) });
}

describe('an operator of the deployed app', () => {
  test('sees an approved order complete, with every participant, and no customer', async () => {
    await stocked(orderly, { 'TEA-1': 5 });
    await order('another');
    await orderly.rest();
    const id = await order();
    await orderly.rest();
    const { exitCode, json, text } = await operator.order(id);
    // Of her account only what is about this order: it was opened for the other one.
    expect(text).toMatch(
      /^complete: 22 events, 4 commands, 19 deliveries processed, nothing twice; 3 collected until their windows close\n/,
    );
    expect(exitCode).toBe(0);
    const { events } = json as { events: readonly { subject: string }[] };
    expect(new Set(events.map(({ subject }) => subject.split(/[/ ]/)[0]))).toEqual(
      new Set(['Order', 'CreateOrderSaga', 'PriceCheck', 'Account', 'Reservation', 'Payment']),
    );
    expect(text).not.toContain('alice');
    expect(text).toMatch(/\nOrder 1 {2}OrderPlaced .*\+0 ms\n {4}\S{8} {2}caused by \S{8} {2}correlation \S{1,8}\n/);
    expect(text).toMatch(/\n {4}-> orders-saga +processed {2}\+\d+ ms\n/);
    const { text: whole } = await operator.order(id, true);
    expect(whole).toMatch(/\nOrder 1 {2}OrderPlaced .*\d{4}-\S+Z\n {4}\S{36} {2}caused by /);
    expect((await operator.sagas()).text).toBe('no saga waits');
  });

  test('sees what an order waits for, sends the command again, and resolves the step where it is stuck', async () => {
    await stocked(orderly, { 'TEA-1': 0 });
    const { held, letGo } = holdMessages(orderly, 'accounts-commands', 'ReleaseAuthorization');
    const { world } = orderly.cloud;
    const id = await order();
    await world.until(() => held.length === 1);
    await operator.tell({ action: 'retry', sagaId: id, dryRun: false });
    await world.until(() => held.length === 2);
    expect(await operator.order(id)).toMatchObject({
      exitCode: 3,
      text: expect.stringMatching(
        /^pending: waits for compensation of authorize-account since \S+ \(attempt 2\), sent again at /,
      ),
    });
    expect((await operator.sagas()).text).toMatch(
      /\nSLOW +orders\/CreateOrderSaga +\w+ +compensation of authorize-account /,
    );

    refuse(held[0]);
    await orderly.rest();
    const stuck = await operator.order(id);
    expect(stuck.exitCode).toBe(4);
    expect(stuck.text).toMatch(
      /^failed: stuck at compensation of authorize-account since \S+: NOT_AUTHORIZED\nnext: .* sagas show /,
    );
    expect((await operator.sagas()).text).toMatch(/\nSTUCK +orders\/CreateOrderSaga +\w+ .* NOT_AUTHORIZED\n/);

    await operator.tell({ action: 'resolve', sagaId: id, note: 'released by hand', dryRun: false });
    await orderly.rest();
    expect((await operator.sagas()).text).toBe('no saga waits');
    letGo();
    await orderly.rest();
    const { exitCode, text } = await operator.order(id);
    expect(text).toContain('  CompensationDone  authorize-account, by olga: released by hand  ');
    expect(text).toMatch(
      /^complete: compensated \S+: REFUSED at reserve-stock: OUT_OF_STOCK \(TEA-1\); .*, nothing twice; 2 collected until their windows close\n/,
    );
    expect(exitCode).toBe(0);
  });

  test('sees a refund that no saga waits for among the failures, and closes it with a note', async () => {
    await stocked(orderly, { 'TEA-1': 1 });
    // The sandbox never refunds this amount.
    await orderly.call(productOf('TEA-1', 41_000));
    const { reply } = await orderly.call(orderAt('alice', 'place', 'TEA-1', 41_000));
    const id = String(reply.body.orderId);
    await orderly.rest();
    await orderly.call(cancellationOf('alice', id, 'cancel'));
    await orderly.rest();

    const failed = await operator.order(id);
    expect(failed.exitCode).toBe(4);
    expect(failed.text).toMatch(
      /^failed: payments-provider at RefundFailed \(RefundRefused: REFUSED_BY_PROVIDER\)\nnext: .* failures show payments-provider /,
    );
    const groups = await operator.groups();
    expect(groups.exitCode).toBe(4);
    expect(groups.text).toContain('docs/operations/alarms/RefundFailed.md');
    const [consumer, messageId] = /failures show (payments-provider) (\S+)/.exec(failed.text)?.slice(1) ?? [];

    await operator.discard(String(consumer), String(messageId), 'paid back by transfer, ticket 4711');
    // The index of failures is eventually consistent.
    await orderly.cloud.world.pass(60_000);
    expect((await operator.groups()).text).toBe('no failures');
    const { exitCode, text } = await operator.order(id);
    expect(text).toMatch(
      /^complete: its failed refund was closed by olga: paid back by transfer, ticket 4711; .*; 1 discarded\n/,
    );
    expect(exitCode).toBe(0);
  });
});
