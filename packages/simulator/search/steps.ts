import type { Cloud } from '../cloud/cloud.js';
import type { ApiResponse } from '../services/apigateway/messages.js';
import { offer } from '../services/sqs/offer.js';
import { Refused } from '../wire/operation.js';
import type { Step } from './stimulus.js';

/** A step that names something which the app doesn't have. */
export class StepImpossible extends Error {
  override readonly name = 'StepImpossible';
}

/**
 * Begins work in an app as somebody outside does: a message, an event, an invocation, an execution, an item; or stores a secret or a parameter.
 * @param then gets a status as of HTTP: 200 if it was done, 400 if it was refused, 500 if a function failed, so that a client does it again
 * @throws {StepImpossible}
 */
export function doStep(cloud: Cloud, step: Step, then: (answer: Pick<ApiResponse, 'status' | 'body'>) => void): void {
  if ('wait' in step) throw new Error('a wait is no step of the app');
  if ('invoke' in step) {
    find('function', step.invoke, [...cloud.functions.values()]).invoke(step.payload, (result) =>
      result.kind === 'returned'
        ? then({ status: 200, body: JSON.stringify(result.value) ?? '' })
        : then({ status: 500, body: result.kind === 'failed' ? `${result.name}: ${result.message}` : result.kind }),
    );
    return;
  }
  try {
    begin(cloud, step);
    cloud.world.after(1, () => then({ status: 200, body: '' }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    then({ status: 400, body: error.message });
  }
}

/** @throws {Refused} @throws {StepImpossible} */
function begin(cloud: Cloud, step: Exclude<Step, { readonly invoke: string } | { readonly wait: unknown }>): void {
  if ('send' in step) {
    const attributes = Object.entries(step.attributes ?? {}).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]);
    const { group, deduplicationId } = step;
    const refused = offer(find('queue', step.send, [...cloud.queues.values()]), {
      body: toText(step.body),
      ...(group !== undefined && { group }),
      ...(deduplicationId !== undefined && { deduplicationId }),
      ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
    });
    if (refused) throw refused;
  } else if ('publish' in step) {
    const topics = cloud.deployment.assembly.findByType('AWS::SNS::Topic');
    const { group, deduplicationId } = step;
    cloud.topics.publish(find('topic', step.publish, topics).arn, {
      text: toText(step.message),
      ...(group !== undefined && { group }),
      ...(deduplicationId !== undefined && { deduplicationId }),
    });
  } else if ('event' in step) {
    const { event: bus, source, detailType, detail } = step;
    const buses = cloud.deployment.assembly.findByType('AWS::Events::EventBus');
    const name = bus === 'default' ? bus : find('bus', bus, buses).ref;
    cloud.events.put(name, { source, detailType, detail });
  } else if ('execute' in step) {
    const machines = cloud.deployment.assembly.findByType('AWS::StepFunctions::StateMachine');
    cloud.machines.start(find('state machine', step.execute, machines).arn, { input: toText(step.input) });
  } else if ('secret' in step) {
    const operation = cloud.secrets.read(step.secret) === undefined ? 'CreateSecret' : 'PutSecretValue';
    const named = { [operation === 'CreateSecret' ? 'Name' : 'SecretId']: step.secret };
    const store = cloud.services.operation({ service: 'secretsmanager', operation });
    void store({ ...named, SecretString: toText(step.value) });
  } else if ('parameter' in step) {
    const store = cloud.services.operation({ service: 'ssm', operation: 'PutParameter' });
    void store({ Name: step.parameter, Type: 'String', Value: toText(step.value), Overwrite: true });
  } else {
    const { assembly } = cloud.deployment;
    const tables = [
      ...assembly.findByType('AWS::DynamoDB::GlobalTable'),
      ...assembly.findByType('AWS::DynamoDB::Table'),
    ];
    const put = cloud.services.operation({ service: 'dynamodb', operation: 'PutItem' });
    void put({ TableName: find('table', step.put, tables).ref, Item: step.item });
  }
}

/** A text is sent as it is, and anything else as JSON. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function find<T extends { readonly label: string }>(kind: string, label: string, all: readonly T[]): T {
  const found = all.find((one) => one.label === label);
  if (found) return found;
  throw new StepImpossible(`there is no ${kind} ${label}; there are: ${all.map((one) => one.label).join(', ')}`);
}
