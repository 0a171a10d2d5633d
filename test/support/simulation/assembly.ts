import { assembly } from '../../../tools/local/assembly.js';
import type { Wanted } from '../../../tools/local/kept-assemblies.js';
import { AUDIENCE, ISSUER, ISSUERS } from './issuer.js';

/** Settings of `prod` in the simulator: a test issuer. */
const SIMULATED = {
  issuer: ISSUER,
  audience: AUDIENCE,
  jwks: ISSUERS.issuer.jwks(),
  allowInlineJwks: 'true',
  alarmEmail: 'alarms@simulation.test',
  // Its reservations take the lane from the first one on.
  hotSkus: 'HOT-1',
  // So do the messages about this customer's account.
  hotCustomers: 'acme',
} as const;

/** The same with the sandbox, which moves no money. */
const SIMULATED_PROD = { ...SIMULATED, paymentProvider: 'sandbox', allowSandbox: 'true' } as const;

/** Origins of the pages that may call the API. */
export const [SHOP, ADMIN] = ['https://shop.example.org', 'http://localhost:5173'] as const;

/** `prod`, as it is deployed. */
export const PROD: Wanted = { environment: 'prod', context: SIMULATED_PROD, isValidated: true };
/** Webhooks. With them the functions reserve more than an account of 1,000 has, so nothing is reserved here. */
const WEBHOOKS = { webhooks: 'on', concurrency: 'unreserved' } as const;
/** With webhooks. The rules check the one with synthetic orders, which has them too. */
const WITH_WEBHOOKS = { ...PROD, context: { ...SIMULATED_PROD, ...WEBHOOKS }, isValidated: false };
/** Steps of settings, as the next release has them. */
const NEXT = {
  exhaustedAccounts: 'written',
  inboxPayloads: 'compressed',
  settlements: 'both',
  userStatuses: 'both',
} as const;
/** The next release, for an API that pages may call. Nobody deploys it. */
const NEXT_FOR_PAGES = {
  ...PROD,
  context: { ...SIMULATED_PROD, ...NEXT, cors: `${SHOP},${ADMIN}` },
  isValidated: false,
};
/**
 * With the payment code of `prod`, which needs a model of Stripe, and with the settings of later releases: what an order costs
 * is counted here. Nobody deploys it.
 */
const LATER = {
  exhaustedAccounts: 'heard',
  inboxPayloads: 'compressed',
  settlements: 'approval',
  userStatuses: 'listed',
} as const;
const WITH_STRIPE = { ...PROD, context: { ...SIMULATED, ...LATER }, isValidated: false };
/** For an account whose quota of AWS Lambda is 10. It differs from `PROD` in numbers only, so the rules check that one. */
const SMALL = { ...PROD, context: { ...SIMULATED_PROD, concurrency: 'small' }, isValidated: false };

/** Synthetic orders, as `lib/synthetic-order-settings.ts` describes them. */
export const SYNTHETIC_ORDER = {
  customerId: 'probe@clients',
  sku: 'SYNTHETIC-1',
  tokenUrl: 'https://login.simulation.test/oauth/token',
  clientId: 'probe',
  secretParameter: '/orderly/prod/synthetic-order',
} as const;
/** With synthetic orders and webhooks, which have constructs of their own. */
const SYNTHETIC = {
  ...PROD,
  context: { ...SIMULATED_PROD, syntheticOrder: JSON.stringify(SYNTHETIC_ORDER), ...WEBHOOKS },
};

/** All that simulations play. */
export const SIMULATED_ASSEMBLIES: readonly Wanted[] = [
  PROD,
  NEXT_FOR_PAGES,
  WITH_STRIPE,
  WITH_WEBHOOKS,
  SMALL,
  SYNTHETIC,
];

/**
 * Synthesizes the cloud assembly of `prod` with a test issuer, once for each state of the sources.
 * @returns its folder
 */
export const prodAssembly = (): string => assembly(PROD);

/** Does the same with the settings of the next release, for an API that the pages of {@link SHOP} and {@link ADMIN} may call. */
export const nextReleaseAssembly = (): string => assembly(NEXT_FOR_PAGES);

/** Does the same with the payment code of `prod`. */
export const stripeAssembly = (): string => assembly(WITH_STRIPE);

/** Does the same with webhooks. */
export const webhooksAssembly = (): string => assembly(WITH_WEBHOOKS);

/** Does the same with the setting `concurrency: 'small'`. */
export const smallAssembly = (): string => assembly(SMALL);

/** Does the same with synthetic orders and webhooks. */
export const syntheticAssembly = (): string => assembly(SYNTHETIC);
