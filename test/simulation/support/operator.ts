import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { APP } from '../../../lambdas/app.js';
import { createOrderContract } from '../../../lambdas/orders/saga-contract.js';
import { REDRIVE } from '../../../packages/kit/failures/delivery.js';
import type { CommandOf } from '../../../packages/kit/messages/contract.js';
import { ownCommandBody } from '../../../packages/kit/messages/own-command.js';
import { OperatorError } from '../../../packages/kit/operator/errors.js';
import { forget } from '../../../packages/kit/operator/forget.js';
import { type FoundRecord, failuresOf } from '../../../packages/kit/operator/records.js';
import { redrivable } from '../../../packages/kit/operator/redrive.js';
import { listenersOf } from '../../../packages/kit/operator/services.js';
import type { RelayAnswer } from '../../../packages/kit/outbox/relay.lambda.js';
import type { Result } from '../../../packages/simulator/aws/lambda.js';
import type { Cloud } from '../../../packages/simulator/cloud.js';
import { DynamoDbError } from '../../../packages/simulator/dynamodb/errors.js';
import type { Operation } from '../../../packages/simulator/dynamodb/wire.js';
import { command } from '../../../tools/operator/program.js';
import { Facts } from './facts.js';
import type { Orderly } from './orderly.js';

export interface RedriveAnswer {
  readonly sent: number;
  /** Why the others must not be sent, as the command says it. */
  readonly refused: readonly string[];
}

/**
 * An operator who works the failures off as `orderly failures redrive` does. Which there are and which may be sent again
 * is the command's own code, its DynamoDB client answered in process; what it sends is sent here in its place, since its
 * waiting for what comes of it is by the real clock.
 */
export class Operator {
  private readonly documents: DynamoDBDocumentClient;

  constructor(private readonly orderly: Orderly) {
    this.documents = DynamoDBDocumentClient.from(new DynamoDBClient(inProcess(orderly.cloud)));
  }

  /** Sends each failure again. @param notDone the operator has made sure that it was not done before */
  async redriveAll(notDone = false): Promise<RedriveAnswer> {
    let sent = 0;
    const refused: string[] = [];
    for (const found of await this.failures()) {
      const relays = found.listener.consumer === undefined;
      try {
        const payload = redrivable({ command }, found, { notDone: notDone && !relays });
        if (relays) await this.publishAgain(found, payload);
        else this.send(found, payload, notDone);
        sent++;
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        refused.push(error.message);
      }
    }
    return { sent, refused };
  }

  /** As `orderly person forget` does, at this moment. */
  async forget(person: string): Promise<void> {
    const { stacks, services, forgotten, cloud } = this.orderly;
    const context = { documents: this.documents, services, stacks, environment: 'simulated' };
    // The sandbox has no customers: nothing but the key names the person.
    await forget(context, {}, { person, dryRun: false });
    cloud.world.note(`operator forgets ${person}`);
    forgotten.push(person);
  }

  /** As `orderly sagas retry` does: what an order's saga waits for is sent once more. */
  retrySaga(sagaId: string): void {
    this.tell(sagaId, { type: 'RetrySaga', data: { sagaId } });
  }

  /** As `orderly sagas resolve` does: the operator has undone by hand what an order's saga is stuck at. */
  resolveSaga(sagaId: string): void {
    const { state } = new Facts(this.orderly).saga(sagaId);
    const step = 'waiting' in state ? state.waiting.step : '';
    this.tell(sagaId, { type: 'ResolveSaga', data: { sagaId, step, by: 'tester', note: 'by hand' } });
  }

  private tell(sagaId: string, command: CommandOf<typeof createOrderContract>): void {
    const { cloud } = this.orderly;
    const what = `${command.type} ${sagaId}`;
    const id = cloud.world.random.fork(`${what} at ${cloud.world.now}`).id();
    const body = ownCommandBody(createOrderContract, {
      app: APP.name,
      id,
      subject: `CreateOrderSaga/${sagaId}`,
      time: new Date(cloud.world.now).toISOString(),
      trace: {
        trigger: id,
        actor: 'operator:tester',
        correlationId: id,
        traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      },
      command,
    });
    cloud.world.note(`operator sends ${what}`);
    this.orderly.queueOf('orders-saga').send({ body });
  }

  private async failures(): Promise<readonly FoundRecord[]> {
    const found: FoundRecord[] = [];
    for (const listener of listenersOf(this.orderly.services))
      found.push(...(await failuresOf(this.documents, listener)));
    return found;
  }

  private send({ listener }: FoundRecord, body: string, notDone: boolean): void {
    const value = { DataType: 'String', StringValue: notDone ? 'not-done' : 'again' };
    this.orderly.queueOf(listener.name).send({ body, attributes: { [REDRIVE]: value } });
  }

  /** A commit through its relay once more; its failure ends once all of it is on the bus. */
  private async publishAgain({ listener, record }: FoundRecord, payload: string): Promise<void> {
    const { cloud } = this.orderly;
    const relay = [...cloud.functions.values()].find(({ resource }) => resource.ref === listener.service.relay);
    const dynamodb = { ...JSON.parse(payload), SequenceNumber: '1' };
    let result: Result | undefined;
    relay?.invoke({ Records: [{ eventName: 'INSERT', eventSource: 'aws:dynamodb', dynamodb }] }, (ended) => {
      result = ended;
    });
    await cloud.world.until(() => result !== undefined);
    if (result?.kind !== 'returned') return;
    const { batchItemFailures, givenUp } = result.value as RelayAnswer;
    if (batchItemFailures.length > 0 || givenUp.length > 0) return;
    await this.documents.send(new DeleteCommand({ TableName: listener.service.records, Key: { pk: record.pk } }));
  }
}

/** A client whose requests are carried out by the model, at once; an operator's rights aren't looked at. */
export function inProcess({ dynamodb }: Cloud): DynamoDBClientConfig {
  const handle = async ({ headers, body }: { headers: Record<string, string>; body?: string | Uint8Array }) => {
    const operation = (headers['x-amz-target'] ?? '').split('.').at(-1) as Operation;
    const answer = (statusCode: number, output: object) => ({
      response: {
        statusCode,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: Buffer.from(JSON.stringify(output)),
      },
    });
    try {
      return answer(200, dynamodb.call(operation, JSON.parse(textOf(body))).output);
    } catch (error) {
      if (!(error instanceof DynamoDbError)) throw error;
      return answer(error.status, error.body);
    }
  };
  return {
    region: 'eu-west-1',
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
    // The SDK's own type asks for what only its default handler has.
    requestHandler: { handle } as unknown as NonNullable<DynamoDBClientConfig['requestHandler']>,
  };
}

const textOf = (body: string | Uint8Array = '{}'): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body);
