import { type AuthSettings, type ServiceFunction, SettingsError } from '@orderly/kit/constructs';
import { type CustomerLimits, SYNTHETIC_CUSTOMER } from '../lambdas/environment.js';
import { Sku } from '../lambdas/orders/contract.js';
import { DEV_ISSUER } from './development.js';

/** A synthetic order every five minutes. Its product, its stock and its secret are created by hand (docs/operations/synthetic-orders.md). */
export interface SyntheticOrderSettings {
  /**
   * The `sub` of the program's tokens. Reports and points leave out whatever this customer orders, so it is nobody else's.
   */
  readonly customerId: string;
  /** SKU of a product that costs nothing, with much stock: any customer can order it. */
  readonly sku: string;
  /** Token endpoint of the issuer, which takes client credentials (RFC 6749, 4.4). */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Name of the SecureString in Parameter Store with the client's secret, created by hand: `/orderly/prod/…`. */
  readonly secretParameter: string;
  /** Sent to the issuer, if it asks for it. */
  readonly audience?: string;
  /** Sent to the issuer, if it asks for it. */
  readonly scope?: string;
  /**
   * No orders are placed, and their customer is left out all the same. Set it before you remove the setting: the services are deployed
   * before the function is removed.
   * @default false
   */
  readonly paused?: boolean;
}

const REQUIRED = ['customerId', 'sku', 'tokenUrl', 'clientId', 'secretParameter'] as const;
const OPTIONAL = ['audience', 'scope'] as const;
/** Orders of the synthetic customer in an hour. The limit is twice as high, for repeats after a deployment. */
const ORDERS_PER_HOUR = 12;
const LEAST_LIMIT = 2 * ORDERS_PER_HOUR;

/**
 * Reads the setting of synthetic orders from the command line or cdk.json.
 * @param given JSON, or an object
 * @throws {SettingsError} if it is incomplete, has an unknown member, or could never place an order
 */
export function readSyntheticOrder(
  environment: string,
  given: string | object,
  { auth, customerLimits }: { readonly auth: Pick<AuthSettings, 'issuer'>; readonly customerLimits: CustomerLimits },
): SyntheticOrderSettings {
  const refuse = (why: string): never => {
    throw new SettingsError(`syntheticOrder of '${environment}': ${why}`);
  };
  const order = parse(given) ?? refuse(`expected a JSON object with ${REQUIRED.join(', ')}`);
  const { paused = false, ...texts } = order;
  const missing = REQUIRED.filter((name) => texts[name] === undefined || texts[name] === '');
  if (missing.length > 0) refuse(`expected ${missing.join(', ')}`);
  const known: readonly string[] = [...REQUIRED, ...OPTIONAL];
  const unknown = Object.keys(texts).filter((name) => !known.includes(name));
  if (unknown.length > 0) refuse(`expected ${known.join(', ')} and paused, and not ${unknown.join(', ')}`);
  const noText = Object.keys(texts).filter((name) => typeof texts[name] !== 'string');
  if (noText.length > 0) refuse(`expected a text for ${noText.join(', ')}`);
  if (typeof paused !== 'boolean') refuse('expected true or false for paused');
  const { customerId, sku, tokenUrl, secretParameter } = texts as Record<(typeof REQUIRED)[number], string>;
  if (!/^[A-Za-z0-9._@:|-]{1,128}$/.test(customerId) || /@.*\./.test(customerId))
    refuse(`customerId is '${customerId}': expected the sub of a token, which is an id and no e-mail address`);
  if (!Sku.safeParse(sku).success) refuse(`sku is '${sku}': expected a SKU`);
  if (!URL.canParse(tokenUrl) || new URL(tokenUrl).protocol !== 'https:')
    refuse(`tokenUrl is '${tokenUrl}': expected an https: address, since the secret is sent there`);
  if (!/^\/[\w./-]+$/.test(secretParameter))
    refuse(
      `secretParameter is '${secretParameter}': expected the name of a parameter, such as /orderly/prod/synthetic-order`,
    );
  if (auth.issuer === DEV_ISSUER)
    refuse('the development issuer gives no program a token: expected an issuer of your own');
  if (customerLimits.ordersPerHour < LEAST_LIMIT)
    refuse(
      `customerLimits.ordersPerHour is ${customerLimits.ordersPerHour}: expected ${LEAST_LIMIT} or more, since ${ORDERS_PER_HOUR} synthetic orders come in an hour`,
    );
  return order as unknown as SyntheticOrderSettings;
}

function parse(given: string | object): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Tells a function whose orders it leaves out, if there are synthetic orders. */
export function setSyntheticCustomer(
  handler: ServiceFunction,
  { syntheticOrder }: { readonly syntheticOrder?: SyntheticOrderSettings },
): void {
  if (syntheticOrder) handler.setEnvironment(SYNTHETIC_CUSTOMER, syntheticOrder.customerId);
}
