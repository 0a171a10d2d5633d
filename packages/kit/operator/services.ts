import { CloudFormationClient, paginateDescribeStacks, type Stack } from '@aws-sdk/client-cloudformation';
import * as z from 'zod/mini';
import { clientConfig, type Endpoint, endpointAt, endpointFromEnvironment } from '../../../tools/local/endpoint.js';
import { LocalRunError } from '../../../tools/local/errors.js';
import { readLocalRun } from '../../../tools/local/local-run.js';
import { relayConsumer } from '../failures/failure-records.js';
import type { ConsumerDescription } from '../service/service-stack.js';
import { OperatorError } from './errors.js';
import { command } from './text.js';

/** A deployed service, from the outputs of its stack. */
export interface Service {
  readonly name: string;
  readonly table: string;
  readonly records: string;
  /** Name of its relay function. */
  readonly relay: string;
  readonly consumers: readonly ConsumerDescription[];
}

const Consumers: z.ZodMiniType<ConsumerDescription[]> = z.array(
  z.object({
    name: z.string(),
    generation: z.int(),
    queueUrl: z.string(),
    events: z.array(z.object({ service: z.string(), types: z.array(z.string()) })),
    takesCommands: z.boolean(),
    dedupeWindowSeconds: z.int(),
    longestRedeliverySeconds: z.int(),
    projection: z.boolean(),
    rebuild: z.exactOptional(z.string()),
    saga: z.exactOptional(z.string()),
  }),
);

/** Chooses the endpoint: `ORDERLY_ENDPOINT`; else for `dev` a local run of this clone that still answers; else AWS. */
export async function endpointOf(environment: string): Promise<Endpoint> {
  const named = await endpointFromEnvironment();
  if (named) return named;
  const run = environment === 'dev' ? readLocalRun() : undefined;
  if (run) {
    try {
      return { ...(await endpointAt(run.endpoint)), region: run.region };
    } catch (error) {
      if (!(error instanceof LocalRunError)) throw error; // a finished run left it behind
    }
  }
  return endpointAt('aws');
}

/** Describes an endpoint for people. */
export const placeOf = ({ url, region }: Endpoint): string => url ?? `AWS ${region}`;

/**
 * Finds every service of an environment by the outputs of its stacks.
 * @throws {OperatorError} `not-found` if there is none, `unreachable` if AWS refuses the access
 */
export async function findServices(endpoint: Endpoint, environment: string): Promise<readonly Service[]> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  const services: Service[] = [];
  try {
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
      services.push(...Stacks.flatMap((stack) => serviceOf(stack, environment)));
    }
  } catch (error) {
    const why = error instanceof Error ? error.name : String(error);
    throw new OperatorError(
      'unreachable',
      `The stacks of '${environment}' can't be read at ${placeOf(endpoint)} (${why}).`,
      'npm start   (here), or sign in to AWS, or set ORDERLY_ENDPOINT',
      { cause: error },
    );
  } finally {
    client.destroy();
  }
  if (services.length === 0) {
    throw new OperatorError(
      'not-found',
      `No service of '${environment}' is deployed at ${placeOf(endpoint)}.`,
      `npm start   (here), or npx cdk deploy --all -c environment=${environment}`,
    );
  }
  return services.sort((one, other) => one.name.localeCompare(other.name));
}

function serviceOf({ StackName = '', Outputs = [] }: Stack, environment: string): readonly Service[] {
  const prefix = `orderly-${environment}-`;
  // The last word has no hyphen: `orderly-dev-eu-Orders` does not belong to `dev`.
  if (!StackName.startsWith(prefix) || StackName.slice(prefix.length).includes('-')) return [];
  const output = (key: string): string => Outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue ?? '';
  const name = output('ServiceName');
  if (!name) return [];
  const consumers = z.safeParse(Consumers, JSON.parse(output('Consumers')));
  if (!consumers.success) {
    throw new OperatorError('refused', `${StackName} was deployed by another release: its consumers can't be read.`);
  }
  return [
    {
      name,
      table: output('TableName'),
      records: output('RecordsName'),
      relay: output('RelayName'),
      consumers: consumers.data,
    },
  ];
}

/** A consumer of one service, or its relay, which has no description because no queue leads to it. */
export interface Listener {
  readonly service: Service;
  readonly name: string;
  readonly generation: number;
  readonly consumer?: ConsumerDescription;
}

/** Returns all consumers, and each service's relay. */
export const listenersOf = (services: readonly Service[]): readonly Listener[] =>
  services.flatMap((service) => [
    ...service.consumers.map((consumer) => ({
      service,
      name: consumer.name,
      generation: consumer.generation,
      consumer,
    })),
    { service, ...relayConsumer },
  ]);

/**
 * Returns the listeners with a name: one consumer, or every service's relay.
 * @throws {OperatorError} `not-found`, with the existing names
 */
export function listenersNamed(services: readonly Service[], name: string): readonly Listener[] {
  const all = listenersOf(services);
  const named = all.filter((listener) => listener.name === name);
  if (named.length > 0) return named;
  const names = [...new Set(all.map((listener) => listener.name))].join(', ');
  throw new OperatorError(
    'not-found',
    `There is no consumer '${name}'; there are: ${names}.`,
    command('failures', 'list'),
  );
}
