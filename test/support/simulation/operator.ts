import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { APP } from '../../../lambdas/app.js';
import { command } from '../../../lambdas/operations/program.js';
import { createOrderContract } from '../../../lambdas/orders/saga-contract.js';
import { REDRIVE } from '../../../packages/kit/failures/delivery.js';
import type { CommandOf } from '../../../packages/kit/messages/contract.js';
import { buildOwnCommandBody } from '../../../packages/kit/messages/own-command.js';
import type { RelayAnswer } from '../../../packages/kit/outbox/relay.lambda.js';
import { type AttemptReader, readAttempts } from '../../../packages/operator/attempts/read-attempts.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { type RelayReader, readRelays } from '../../../packages/operator/deployment/relays.js';
import { listListeners } from '../../../packages/operator/deployment/services.js';
import { discard } from '../../../packages/operator/failures/discard.js';
import { requireRedrivable } from '../../../packages/operator/failures/redrive.js';
import { forgetPerson } from '../../../packages/operator/people/forget.js';
import type { PersonalDataSource } from '../../../packages/operator/people/personal-data.js';
import { type FoundRecord, listFailureRecords } from '../../../packages/operator/records/consumer-records.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import { DynamoDbError } from '../../../packages/simulator/services/dynamodb/errors.js';
import type { Operation } from '../../../packages/simulator/services/dynamodb/model.js';
import type { InvocationResult } from '../../../packages/simulator/services/lambda/model.js';
import { awsApiOf } from '../../../packages/simulator/support/clients.js';
import { takeFewerSteps } from '../fewer-steps.js';
import { Facts } from './facts.js';
import type { Orderly } from './orderly.js';

export interface RedriveAnswer {
  readonly sent: number;
  /** Reasons of the command for the messages that must not be sent. */
  readonly refused: readonly string[];
}

/**
 * Operator who handles failures like `orderly failures redrive`. The command's own code lists the failures and decides which
 * may be redriven, with a DynamoDB client that is answered in process. The messages are sent here instead, because the
 * command waits for the result by the real clock.
 */
export class Operator {
  private readonly documents: DynamoDBDocumentClient;
  private readonly clock = { now: () => new Date(this.orderly.cloud.world.now).toISOString() };

  constructor(private readonly orderly: Orderly) {
    this.documents = createDocumentClient(orderly.cloud);
  }

  /** Redrives each failure. @param notDone whether the operator has made sure that it was not processed before */
  async redriveAll(notDone = false): Promise<RedriveAnswer> {
    let sent = 0;
    const refused: string[] = [];
    for (const found of await this.failures()) {
      const relays = found.listener.consumer === undefined;
      try {
        const payload = requireRedrivable({ command }, found, { notDone: notDone && !relays });
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

  /** Does the same as `orderly inbox discard`. @throws {OperatorError} if the message has not failed */
  async discard(consumer: string, messageId: string): Promise<void> {
    const { services, cloud } = this.orderly;
    await discard(
      { documents: this.documents, clock: this.clock, services, actor },
      { consumer, messageId, reason: 'by a scenario', dryRun: false },
    );
    this.orderly.discardedAt = cloud.world.now;
    cloud.world.note(`operator discards ${messageId}`);
  }

  /** Discards each failure of a consumer. */
  async discardAll(consumer: string): Promise<void> {
    for (const { listener, messageId } of await this.failures()) {
      if (listener.name === consumer) await this.discard(consumer, messageId);
    }
  }

  /**
   * Does the same as `orderly person forget`, at this moment.
   * @param people what else has data about the person. @default nothing: the sandbox has no customers
   */
  async forget(person: string, people: Pick<PersonalDataSource, 'forget'> = {}): Promise<void> {
    const { stacks, services, forgotten, cloud } = this.orderly;
    const context = { documents: this.documents, clock: this.clock, services, stacks, environment: 'simulated', actor };
    await forgetPerson(context, people, { person, dryRun: false });
    cloud.world.note(`operator forgets ${person}`);
    forgotten.push(person);
  }

  /** Does the same as `orderly sagas retry`: sends the command that an order's saga waits for again. */
  retrySaga(sagaId: string): void {
    this.tell(sagaId, { type: 'RetrySaga', data: { sagaId } });
  }

  /** Does the same as `orderly sagas resolve`: records that the operator compensated a step by hand. */
  resolveSaga(sagaId: string): void {
    const { state } = new Facts(this.orderly).saga(sagaId);
    const step = 'waiting' in state ? state.waiting.step : '';
    this.tell(sagaId, { type: 'ResolveSaga', data: { sagaId, step, by: 'tester', note: 'by hand' } });
  }

  private tell(sagaId: string, command: CommandOf<typeof createOrderContract>): void {
    const { cloud } = this.orderly;
    const what = `${command.type} ${sagaId}`;
    const id = cloud.world.random.fork(`${what} at ${cloud.world.now}`).id();
    const body = buildOwnCommandBody(createOrderContract, {
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
    this.orderly.findQueue('orders-saga').send({ body });
  }

  private async failures(): Promise<readonly FoundRecord[]> {
    const found: FoundRecord[] = [];
    for (const listener of listListeners(this.orderly.services))
      found.push(...(await listFailureRecords(this.documents, listener)));
    return found;
  }

  private send({ listener }: FoundRecord, body: string, notDone: boolean): void {
    const value = { DataType: 'String', StringValue: notDone ? 'not-done' : 'again' };
    this.orderly.findQueue(listener.name).send({ body, attributes: { [REDRIVE]: value } });
  }

  /** Publishes a commit through its relay again. Its failure ends once all messages are on the bus. */
  private async publishAgain({ listener, record }: FoundRecord, payload: string): Promise<void> {
    const { cloud } = this.orderly;
    const relay = [...cloud.functions.values()].find(({ resource }) => resource.ref === listener.service.relay);
    const dynamodb = { ...JSON.parse(payload), SequenceNumber: '1' };
    let result: InvocationResult | undefined;
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

const actor = async () => 'tester';

/** Client whose requests the model handles at once. It does not check the operator's permissions. */
export function createDocumentClient({ dynamodb }: Cloud): DynamoDBDocumentClient {
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
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
    // The SDK's type requires members that only its default handler has.
    requestHandler: { handle } as unknown as NonNullable<DynamoDBClientConfig['requestHandler']>,
  });
  return DynamoDBDocumentClient.from(takeFewerSteps(client));
}

const textOf = (body: string | Uint8Array = '{}'): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body);

/** Returns how the relays of a cloud are asked. Asking does not let the world run. */
export function createRelayReader(cloud: Cloud): RelayReader {
  const client = new CloudWatchClient(awsApiOf(cloud, async () => undefined).config);
  return (services) => readRelays(client, services, new Date(cloud.world.now).toISOString());
}

/** Returns how the attempts in a cloud's logs are read. Asking does not let the world run. */
export function createAttemptReader(cloud: Cloud): AttemptReader {
  const client = new CloudWatchLogsClient(awsApiOf(cloud, async () => undefined).config);
  const prefix = `${APP.name}-`;
  return (query) => readAttempts(client, { prefix, now: new Date(cloud.world.now).toISOString(), ...query });
}
