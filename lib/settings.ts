import { readFileSync } from 'node:fs';
import {
  type AuthSettings,
  type CanarySettings,
  checkDeployedWindow,
  checkTraces,
  type DeployedWindow,
  developmentSettings,
  type EnvironmentSettings,
  type HotKeySettings,
  SettingsError,
  type TracesSettings,
} from '@orderly/kit/constructs';
import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CustomerId } from '../lambdas/accounts/contract.js';
import { APP } from '../lambdas/app.js';
import type { CustomerLimits } from '../lambdas/environment.js';
import { type ReviewRules, Sku } from '../lambdas/orders/contract.js';
import { MAX_DECLINES } from '../lambdas/payments/contract.js';
import { checkAuth } from './auth-settings.js';
import { DEV_AUDIENCE, DEV_ISSUER, DEV_TOKEN_SECONDS } from './development.js';
import { ENVIRONMENT_NAMES, type EnvironmentName } from './environment-names.js';
import { checkInboxes, type InboxSettings } from './inbox-settings.js';
import { checkOrders, fitToAccount, type OrderSettings } from './order-capacity.js';
import { readSyntheticOrder, type SyntheticOrderSettings } from './synthetic-order-settings.js';
import { checkTextSize } from './text-size.js';

/** Payment provider. `sandbox` moves no money; it is for environments that sell nothing. */
export type PaymentSettings =
  | { readonly provider: 'sandbox' }
  | {
      readonly provider: 'stripe';
      /** Name of the SecureString in Parameter Store with Stripe's secret key, created by hand: `/orderly/prod/…`. */
      readonly secretParameter: string;
    };

/** Points within a year for each tier: whole numbers above 0, gold above silver. */
export interface RewardTiers {
  readonly silver: number;
  readonly gold: number;
}

/** Days of the daily reports. */
export interface ReportSettings {
  /** Name in the IANA database. A change moves the beginning of the days that open from then on. */
  readonly timeZone: string;
  /** Time between the end of a day and its report, in which its last events arrive. Later ones count for the next day. */
  readonly closeAfter: Duration;
}

/** Names of the services that were or may be restored. A wrong name would leave the epoch as it was. */
type RestorableService =
  | 'accounts'
  | 'baskets'
  | 'catalog'
  | 'inventory'
  | 'orders'
  | 'payments'
  | 'reports'
  | 'rewards'
  | 'users'
  | 'webhooks';

/** Settings of one environment. Everything else is the same in all environments. */
export interface Settings extends EnvironmentSettings {
  readonly epochs?: Partial<Readonly<Record<RestorableService, number>>>;
  /** Credit limit of a new customer, in minor units. An operator can change it per customer. */
  readonly defaultCreditLimit: { readonly amount: number; readonly currency: string };
  /** Limits of each customer. Requests above a limit are refused, and orders above a limit are rejected. */
  readonly customerLimits: CustomerLimits;
  /**
   * Orders whose total the payment provider can never charge (`lambdas/charge-limits.ts`): refused when they are placed, or
   * rejected by their saga.
   */
  readonly unchargeableOrders: 'refuse' | 'reject';
  /**
   * Rules by which orders of suspect users are looked at. They only say why an order is under review: each order of a
   * suspect user is.
   */
  readonly reviewRules: ReviewRules;
  /** Points within a year with which a customer becomes SILVER or GOLD. */
  readonly rewardTiers: RewardTiers;
  readonly payments: PaymentSettings;
  readonly reports: ReportSettings;
  /**
   * Step of the change from a list of exhausted accounts that receives every event of an account to one that receives
   * `ExhaustedAccountChanged` only. Each is a release of its own, as the functions of two releases run side by side: `read` knows the
   * event, `written` commits it as well, `heard` needs no other.
   */
  readonly exhaustedAccounts: 'read' | 'written' | 'heard';
  /**
   * Step of the change from orders that are settled by their charge, in a commit of its own, to those that are settled by the capture that
   * their approval makes. Each is a release of its own, as the functions of two releases run side by side: `charge` reads such a capture,
   * `both` writes it for what no charge has settled, `approval` no longer receives charges.
   */
  readonly settlements: 'charge' | 'both' | 'approval';
  /**
   * Step of the move of users' statuses beside the lists of orders, where `POST /orders` reads both with one query. Each is a release of
   * its own: `apart` reads both places, `both` stores both. `listed` reads the new one only, after each status was stored there
   * (`lambdas/orders/README.md`, Blocked users).
   */
  readonly userStatuses: 'apart' | 'both' | 'listed';
  /** Retries of stored messages. */
  readonly inboxes: InboxSettings;
  /** Concurrency of the consumers that process orders, and how many orders the API admits for them. */
  readonly orders: OrderSettings;
  /** SKUs under contention, whose reservations are decided many at once: named here before a sale, or by their lost races. */
  readonly hotSkus: HotKeySettings;
  /**
   * Customers under contention, whose accounts decide many messages at once: named here if they order all the time, or by the
   * changes of their accounts.
   */
  readonly hotCustomers: HotKeySettings;
  /**
   * A synthetic order every five minutes, which is placed, followed and cancelled as a customer's. Its customer stays out of reports and
   * gets no points. Where it runs, `apiQuietAfter` does not hold: an API that nobody can reach is an order that does not come through.
   * @default none
   */
  readonly syntheticOrder?: SyntheticOrderSettings;
  /**
   * Webhooks, by which shops and operators hear of orders. In an environment that has orders already, replay their events once to
   * `webhooks-orders` (docs/operations/bring-a-new-consumer-to-date.md).
   * @default none: no stack, and no order costs more
   */
  readonly webhooks?: 'on';
}

/** Issuer of `prod` until you configure your own. `.invalid` never resolves (RFC 2606). */
export const PLACEHOLDER_ISSUER = 'https://issuer.invalid/replace-me-in-lib-settings';

/** Settings that the command line can override (`cdk synth -c issuer=...`). */
export interface Overrides {
  readonly issuer?: string;
  readonly audience?: string;
  readonly jwks?: string;
  readonly jwksUri?: string;
  readonly alarmEmail?: string;
  /**
   * `small` fits into an account whose quota of AWS Lambda is 10: nothing is reserved, and the API admits fewer orders. `unreserved`: all
   * functions share the account's quota.
   */
  readonly concurrency?: 'small' | 'unreserved';
  /** Moves no money in any environment: for a trial of `prod`, and for the simulator. */
  readonly paymentProvider?: 'sandbox';
  /** SKUs that are always hot, with commas between them: for a sale. */
  readonly hotSkus?: string;
  /** Customers who are always hot, with commas between them. */
  readonly hotCustomers?: string;
  /** Step of the list of exhausted accounts; see the setting. */
  readonly exhaustedAccounts?: Settings['exhaustedAccounts'];
  /** Step of the settlement of orders; see the setting. */
  readonly settlements?: Settings['settlements'];
  /** Form in which inboxes store messages; see the setting. */
  readonly inboxPayloads?: 'plain' | 'compressed';
  /** Step of users' statuses; see the setting. */
  readonly userStatuses?: Settings['userStatuses'];
  /** Origins whose pages may call the API, with commas between them. */
  readonly cors?: string;
  /** Minutes of a progressive deployment: 5, 10, 15 or 30. */
  readonly canary?: string;
  /** Synthetic orders: `SyntheticOrderSettings` as JSON, or as the object that cdk.json may contain. */
  readonly syntheticOrder?: string | object;
  /** `on`: webhooks. `off`: none, whatever the settings say. */
  readonly webhooks?: 'on' | 'off';
  /** Where traces are exported to: `x-ray`, or `otlp` with `tracesEndpoint`. */
  readonly traces?: string;
  /** Base address of a receiver of OTLP over HTTP. */
  readonly tracesEndpoint?: string;
  /** Share of the traces that are written, above 0 and at most 1. */
  readonly tracesShare?: string;
  /** `off`: tables and stacks are not protected from deletion, for a first deployment. */
  readonly protection?: 'on' | 'off';
  /** Allow an inline key set, or the sandbox, in an environment that keeps data. */
  readonly allowInlineJwks?: 'true';
  readonly allowSandbox?: 'true';
}

const ENVIRONMENTS: Readonly<
  Record<EnvironmentName, Omit<Settings, 'app' | 'environment' | 'exhaustedAccounts' | 'settlements' | 'userStatuses'>>
> = {
  dev: {
    ...developmentSettings({
      app: APP,
      auth: {
        issuer: DEV_ISSUER,
        audience: DEV_AUDIENCE,
        roleClaim: 'orderly_role',
        maxTokenLifetime: Duration.seconds(DEV_TOKEN_SECONDS),
      },
    }),
    defaultCreditLimit: { amount: 10_000_00, currency: 'EUR' },
    // Higher than what scenarios and load tests need for one customer.
    unchargeableOrders: 'refuse',
    customerLimits: {
      ordersUnderWay: 2_000,
      ordersPerHour: 5_000,
      paymentsPerDay: 1_000,
      refundsPerDay: 1_000,
      refundedPerDay: 1_000_000_00,
    },
    // Two are quickly played by hand.
    reviewRules: {
      highValue: 500_00,
      manyOrders: 10,
      otherAddress: true,
      manyDeclines: 2,
      declinesWithinHours: 24,
      methodChangeWithinHours: 24,
    },
    rewardTiers: { silver: 1_000, gold: 5_000 },
    payments: { provider: 'sandbox' },
    reports: { timeZone: 'Europe/Berlin', closeAfter: Duration.minutes(15) },
    // 2 s, 4 s, 8 s ... an hour: 4 hours until a message fails.
    inboxes: {
      attempts: 15,
      base: Duration.seconds(2),
      cap: Duration.hours(1),
      pageSize: 20,
      sweepEvery: Duration.minutes(1),
    },
    orders: { sagaConcurrency: 50, providerConcurrency: 40, throttle: { rate: 200, burst: 400 } },
    hotSkus: { always: [], conflictsPerSecond: 5 },
    hotCustomers: { always: [], conflictsPerSecond: 10 },
  },
  prod: {
    keepsData: true,
    logRetention: RetentionDays.THREE_MONTHS,
    auditRetention: RetentionDays.ONE_YEAR,
    logLevel: 'INFO',
    backup: { retention: Duration.days(7) },
    archiveRetention: Duration.days(90),
    // Another window is an entry of its own, and this one stays: docs/operations/change-the-deduplication-window.md.
    dedupeWindow: Duration.days(35),
    consumerAttempts: 16,
    defaultCreditLimit: { amount: 1_000_00, currency: 'EUR' },
    unchargeableOrders: 'refuse',
    customerLimits: {
      ordersUnderWay: 100,
      ordersPerHour: 300,
      paymentsPerDay: 50,
      refundsPerDay: 20,
      refundedPerDay: 10_000_00,
    },
    reviewRules: {
      highValue: 500_00,
      manyOrders: 10,
      otherAddress: true,
      manyDeclines: 3,
      declinesWithinHours: 24,
      methodChangeWithinHours: 24,
    },
    rewardTiers: { silver: 1_000, gold: 5_000 },
    payments: { provider: 'stripe', secretParameter: '/orderly/prod/stripe-secret-key' },
    // Longer than the relay and the queue need after an outage of most kinds.
    reports: { timeZone: 'Europe/Berlin', closeAfter: Duration.hours(1) },
    // 2 s, 4 s, 8 s ... an hour: 9 hours until a message fails.
    inboxes: {
      attempts: 20,
      base: Duration.seconds(2),
      cap: Duration.hours(1),
      pageSize: 20,
      sweepEvery: Duration.minutes(1),
    },
    orders: { sagaConcurrency: 50, providerConcurrency: 40, throttle: { rate: 200, burst: 400 } },
    hotSkus: { always: [], conflictsPerSecond: 10 },
    hotCustomers: { always: [], conflictsPerSecond: 10 },
    throttle: { rate: 500, burst: 1000 },
    firewall: { requestsPerAddress: 5_000, requestsPerToken: 600 },
    concurrency: 1000,
    apiQuietAfter: Duration.hours(1),
    monthlyBudget: { amount: 500, currency: 'USD' },
    auth: {
      issuer: PLACEHOLDER_ISSUER,
      audience: 'orderly',
      roleClaim: 'orderly_role',
      // Maximum lifetime of Cognito's access tokens, and default lifetime of Auth0's.
      maxTokenLifetime: Duration.hours(24),
    },
  },
};

/**
 * Checks the limits of customers. A limit of 0 would refuse every order, and `NaN` would limit nothing.
 * @throws {SettingsError} naming every limit that is not a whole number above 0
 */
export function checkCustomerLimits(environment: string, limits: CustomerLimits): void {
  const wrong = Object.entries(limits).flatMap(([name, most]) =>
    Number.isSafeInteger(most) && most > 0 ? [] : [name],
  );
  if (wrong.length === 0) return;
  throw new SettingsError(`customerLimits of '${environment}': expected whole numbers above 0: ${wrong.join(', ')}`);
}

/** Most orders of an hour that a review reads (`lambdas/orders/reviews.ts`). */
const MAX_COUNTED = 100;

/**
 * Checks the rules of reviews. `NaN`, more orders than a review reads, or more declined charges than payments tell, would
 * never be reached.
 * @throws {SettingsError}
 */
export function checkReviewRules(environment: string, { otherAddress: _, ...rules }: ReviewRules): void {
  const most: Partial<typeof rules> = { manyOrders: MAX_COUNTED, manyDeclines: MAX_DECLINES };
  for (const name of Object.keys(rules) as (keyof typeof rules)[]) {
    const limit = most[name];
    const isReached = Number.isSafeInteger(rules[name]) && rules[name] >= 1 && rules[name] <= (limit ?? Infinity);
    if (isReached) continue;
    const expected = limit === undefined ? 'a whole number above 0' : `1 to ${limit}`;
    throw new SettingsError(`reviewRules of '${environment}': expected ${name} to be ${expected}`);
  }
}

/** @throws {SettingsError} if the tiers are not whole numbers above 0, or not in ascending order */
export function checkRewardTiers(environment: string, { silver, gold }: RewardTiers): void {
  if (Number.isSafeInteger(silver) && Number.isSafeInteger(gold) && silver > 0 && gold > silver) return;
  throw new SettingsError(
    `rewardTiers of '${environment}': expected whole numbers above 0, and gold above silver: ${silver}, ${gold}`,
  );
}

/**
 * Checks the settings of hot SKUs. With 0 conflicts every SKU would be hot, and a misspelt SKU would never be.
 * @throws {SettingsError}
 */
export const checkHotSkus = (environment: string, hotSkus: HotKeySettings): void =>
  checkHotKeys(`hotSkus of '${environment}'`, hotSkus, { are: 'SKUs', schema: Sku });

/**
 * Checks the settings of hot customers, as those of SKUs.
 * @throws {SettingsError}
 */
export const checkHotCustomers = (environment: string, hotCustomers: HotKeySettings): void =>
  checkHotKeys(`hotCustomers of '${environment}'`, hotCustomers, { are: 'ids of customers', schema: CustomerId });

function checkHotKeys(
  setting: string,
  { always, conflictsPerSecond }: HotKeySettings,
  { are, schema }: { readonly are: string; readonly schema: typeof Sku | typeof CustomerId },
): void {
  if (!Number.isSafeInteger(conflictsPerSecond) || conflictsPerSecond < 1) {
    throw new SettingsError(`${setting}: expected conflictsPerSecond to be a whole number above 0`);
  }
  const wrong = always.filter((key) => !schema.safeParse(key).success);
  if (wrong.length > 0) throw new SettingsError(`${setting}: expected ${are}: ${wrong.join(', ')}`);
  checkTextSize(setting, JSON.stringify(always), 'list fewer, since others take the lane by themselves');
}

/**
 * Checks the settings of reports. With an unknown time zone, no function could name a day.
 * @throws {SettingsError}
 */
export function checkReports(environment: string, { timeZone, closeAfter }: ReportSettings): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    throw new SettingsError(`reports of '${environment}': expected a time zone such as Europe/Berlin: ${timeZone}`, {
      cause,
    });
  }
  if (closeAfter.toSeconds() < 60 || closeAfter.toHours({ integral: false }) > 12) {
    throw new SettingsError(`reports of '${environment}': expected closeAfter of 1 minute to 12 hours`);
  }
}

const overrideKeys = (known: HotKeySettings, always: string | undefined): HotKeySettings =>
  always === undefined ? known : { ...known, always: always.split(',') };

/**
 * Returns the deduplication windows that are deployed. Add an entry of the settings to that file once it is deployed; never
 * change one. An environment that it does not name has no data yet.
 */
function readDeployedWindows(environment: string): readonly DeployedWindow[] {
  const deployed: Readonly<Record<string, readonly DeployedWindow[]>> = JSON.parse(
    readFileSync(new URL('deployed-windows.json', import.meta.url), 'utf8'),
  );
  return deployed[environment] ?? [];
}

const isEnvironment = (name: string): name is EnvironmentName =>
  (ENVIRONMENT_NAMES as readonly string[]).includes(name);

/**
 * Returns the settings of an environment, with overrides.
 * @throws {SettingsError} for an unknown environment, and for settings with which every token would be refused. If the
 *   environment keeps data, also if anyone could sign tokens, or if the sandbox is not allowed explicitly.
 */
export function settingsFor(environment: string, overrides: Overrides = {}): Settings {
  if (!isEnvironment(environment)) {
    const names = ENVIRONMENT_NAMES.join(', ');
    throw new SettingsError(`environment '${environment}' is unknown: expected one of lib/settings.ts: ${names}`);
  }
  const known = ENVIRONMENTS[environment];
  const { issuer, audience, jwks, jwksUri, alarmEmail, paymentProvider } = overrides;
  checkCustomerLimits(environment, known.customerLimits);
  checkReviewRules(environment, known.reviewRules);
  const hotSkus = overrideKeys(known.hotSkus, overrides.hotSkus);
  checkHotSkus(environment, hotSkus);
  const hotCustomers = overrideKeys(known.hotCustomers, overrides.hotCustomers);
  checkHotCustomers(environment, hotCustomers);
  checkRewardTiers(environment, known.rewardTiers);
  checkReports(environment, known.reports);
  checkInboxes(environment, known.inboxes);
  checkDeployedWindow(known.dedupeWindow, readDeployedWindows(environment));
  const auth: AuthSettings = {
    ...known.auth,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(jwks !== undefined && { jwks }),
    ...(jwksUri !== undefined && { jwksUri }),
  };
  if (paymentProvider !== undefined && paymentProvider !== 'sandbox') {
    throw new SettingsError("paymentProvider: expected 'sandbox'; lib/settings.ts sets every other provider");
  }
  const { protection = 'on' } = overrides;
  if (!['on', 'off'].includes(protection)) {
    throw new SettingsError(`protection is '${protection}': expected off for a first deployment, or nothing`);
  }
  const payments: PaymentSettings = paymentProvider === undefined ? known.payments : { provider: paymentProvider };
  const concurrency = overrides.concurrency === undefined ? known.concurrency : readConcurrency(overrides.concurrency);
  // 0.3.0 can't read the event. The release after this one takes `written`, the one after that `heard`.
  const { exhaustedAccounts = 'read' } = overrides;
  if (!['read', 'written', 'heard'].includes(exhaustedAccounts)) {
    throw new SettingsError(`exhaustedAccounts is '${exhaustedAccounts}': expected read, written or heard`);
  }
  // 0.3.0 doesn't read what a capture settles. The release after this one takes `both`, the one after that `approval`.
  const { settlements = 'charge' } = overrides;
  if (!['charge', 'both', 'approval'].includes(settlements)) {
    throw new SettingsError(`settlements is '${settlements}': expected charge, both or approval`);
  }
  // Functions of 0.3.0 can't read a compressed message. The release after this one takes 'compressed'.
  const { inboxPayloads = 'plain' } = overrides;
  if (!['plain', 'compressed'].includes(inboxPayloads)) {
    throw new SettingsError(`inboxPayloads is '${inboxPayloads}': expected plain or compressed`);
  }
  // A rebuild of the list by functions of 0.3.0 would delete a status there. The release after this one takes `both`.
  const { userStatuses = 'apart' } = overrides;
  if (!['apart', 'both', 'listed'].includes(userStatuses)) {
    throw new SettingsError(`userStatuses is '${userStatuses}': expected apart, both or listed`);
  }
  const syntheticOrder =
    overrides.syntheticOrder === undefined
      ? known.syntheticOrder
      : readSyntheticOrder(environment, overrides.syntheticOrder, { auth, customerLimits: known.customerLimits });
  const { webhooks = known.webhooks ?? 'off' } = overrides;
  if (!['on', 'off'].includes(webhooks)) throw new SettingsError(`webhooks is '${webhooks}': expected on or off`);
  const { apiQuietAfter, webhooks: _, ...others } = known;
  const isQuietAnAlarm =
    apiQuietAfter !== undefined && (syntheticOrder === undefined || syntheticOrder.paused === true);
  const settings = {
    ...fitToAccount({ ...others, concurrency }),
    app: APP,
    environment,
    // 0.3.0 deletes the policies that leave a stack. The release after this one takes the default: one policy for each service.
    queuePolicies: 'queue' as const,
    inboxPayloads,
    exhaustedAccounts,
    settlements,
    userStatuses,
    auth,
    payments,
    hotSkus,
    hotCustomers,
    protection,
    ...(syntheticOrder && { syntheticOrder }),
    ...(webhooks === 'on' && { webhooks }),
    ...(isQuietAnAlarm && { apiQuietAfter }),
    ...(alarmEmail !== undefined && { alarmEmail }),
    ...(overrides.cors !== undefined && { cors: overrides.cors.split(',') }),
    ...(overrides.canary !== undefined && {
      canary: { minutes: Number(overrides.canary) as CanarySettings['minutes'] },
    }),
    ...overrideTraces(overrides),
  };
  checkTraces(settings);
  checkOrders(environment, settings.orders);
  const [inlineIsAllowed, sandboxIsAllowed] = [
    isAllowed('allowInlineJwks', overrides),
    isAllowed('allowSandbox', overrides),
  ];
  checkAuth(settings, inlineIsAllowed);
  if (settings.keepsData && payments.provider === 'sandbox' && !sandboxIsAllowed) {
    throw new SettingsError(
      `'${environment}' keeps data, and the sandbox moves no money: for a trial, add -c allowSandbox=true`,
    );
  }
  return settings;
}

function readConcurrency(given: string): 'small' | false {
  if (given === 'small') return given;
  if (given === 'unreserved') return false;
  throw new SettingsError(
    `concurrency is '${given}': expected 'small' or 'unreserved'; lib/settings.ts sets every other value`,
  );
}

function overrideTraces({ traces, tracesEndpoint, tracesShare }: Overrides): { readonly traces?: TracesSettings } {
  if (traces === undefined) {
    if (tracesEndpoint === undefined && tracesShare === undefined) return {};
    throw new SettingsError(
      'tracesEndpoint and tracesShare are settings of traces: add -c traces=x-ray or -c traces=otlp',
    );
  }
  // The kit checks them: a missing endpoint, and an exporter that it doesn't know.
  const given = {
    exporter: traces,
    ...(tracesEndpoint !== undefined && { endpoint: tracesEndpoint }),
    ...(tracesShare !== undefined && { share: Number(tracesShare) }),
  };
  return { traces: given as TracesSettings };
}

function isAllowed(word: 'allowInlineJwks' | 'allowSandbox', overrides: Overrides): boolean {
  const said: unknown = overrides[word];
  // cdk.json may contain the value as a boolean.
  if (said === undefined || String(said) === 'true') return said !== undefined;
  throw new SettingsError(`${word} is '${said}': expected true, or nothing`);
}
