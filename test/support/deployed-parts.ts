import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import type { FunctionDescription } from '../../packages/kit/base/outputs.js';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';
import { parseFunctions } from '../../packages/operator/deployment/functions.js';
import { type Listener, listListeners, type Service } from '../../packages/operator/deployment/services.js';
import type { Aggregate, ConsumerName, FunctionName, RelayName } from '../acceptance/world.js';
import type { Deployed } from './deployed.js';

/** Functions of a deployment, by the names that scenarios call them: the entry point, or `<service>/relay`. */
export class DeployedFunctions {
  private readonly functions: readonly FunctionDescription[];
  private readonly byName: ReadonlyMap<string, string>;

  constructor(outputs: Deployed['outputs']) {
    this.functions = parseFunctions(outputs);
    this.byName = new Map(this.functions.map((one) => [one.name, calledInScenarios(one)]));
  }

  /** Returns the physical name. @throws {Error} if the deployment has no such function, or several */
  findPhysicalName(fn: FunctionName): string {
    const [found, ...others] = this.functions.filter((one) => calledInScenarios(one) === fn);
    if (!found || others.length > 0) throw new Error(`the deployment has ${others.length + Number(!!found)} of ${fn}`);
    return found.name;
  }

  /** Returns the name in scenarios, or undefined for a physical name of no function in the outputs. */
  calledInScenarios(physicalName: string): string | undefined {
    return this.byName.get(physicalName);
  }

  /** Returns the function that handles a consumer's messages. @throws {Error} if the deployment has none */
  findHandler(consumer: ConsumerName): FunctionName {
    const found = this.handlers.find((one) => one.consumer === consumer);
    if (!found) throw new Error(`the deployment has no handler of ${consumer}`);
    return found.entry as FunctionName;
  }

  /** Returns the writer of the lane that a consumer's messages may take, if its service has one. */
  findLane(consumer: ConsumerName): FunctionName | undefined {
    const entry = this.findHandler(consumer).replace(/[^/]+$/, 'on-lane');
    return this.functions.find((one) => one.entry === entry)?.entry as FunctionName | undefined;
  }

  /** Returns the consumers whose messages a function handles. */
  handledBy(fn: FunctionName): readonly ConsumerName[] {
    return this.handlers.filter(({ entry }) => entry === fn).map(({ consumer }) => consumer as ConsumerName);
  }

  /** The drain and the sweeper of a consumer have entry points of the kit. */
  private get handlers(): readonly FunctionDescription[] {
    return this.functions.filter(({ consumer, entry }) => consumer !== undefined && !entry.startsWith('kit/'));
  }
}

const calledInScenarios = ({ service, entry }: FunctionDescription): string =>
  entry === 'kit/outbox/relay' ? `${service}/relay` : entry;

/** Service of each kind of aggregate. */
export const SERVICE_OF: Readonly<Record<Aggregate, string>> = {
  Order: 'orders',
  CreateOrderSaga: 'orders',
  Reservation: 'inventory',
  StockItem: 'inventory',
  Account: 'accounts',
  Payment: 'payments',
  Payer: 'payments',
  Product: 'catalog',
  PriceCheck: 'catalog',
  Basket: 'baskets',
  Checkout: 'baskets',
  PriceRollout: 'baskets',
  User: 'users',
};

/** A consumer, or a service's relay, as the outputs tell. @throws {Error} where the deployment hasn't it */
export function listenerNamed(services: readonly Service[], name: ConsumerName | RelayName): Listener {
  const found = listListeners(services).find(
    (one) => name === (one.consumer ? one.name : `${one.service.name}/${one.name}`),
  );
  if (!found) throw new Error(`the deployment has no consumer or relay ${name}`);
  return found;
}

/** The service that owns an aggregate. @throws {Error} where the deployment hasn't it */
export function owningService(services: readonly Service[], aggregate: Aggregate): Service {
  const found = services.find(({ name }) => name === SERVICE_OF[aggregate]);
  if (!found) throw new Error(`the deployment has no service ${SERVICE_OF[aggregate]}`);
  return found;
}

/** An output of a stack. @throws {Error} where the deployment hasn't it */
export function output({ outputs }: Pick<Deployed, 'outputs'>, stack: string, name: string): string {
  const value = outputs[stack]?.[name];
  if (!value) throw new Error(`the deployment has no output ${stack}.${name}`);
  return value;
}

/**
 * Log groups of each function, by its physical name: the one that it is given, and the one by its own name, where
 * LocalStack logs all the same.
 */
export async function logGroups(
  deployed: Pick<Deployed, 'endpoint' | 'region'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new LambdaClient(clientConfig({ url: deployed.endpoint, region: deployed.region }));
  const groups = new Map<string, readonly string[]>();
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    for (const { FunctionName: name = '', LoggingConfig } of Functions) {
      groups.set(name, [`/aws/lambda/${name}`].concat(LoggingConfig?.LogGroup ?? []));
    }
  }
  client.destroy();
  return groups;
}
