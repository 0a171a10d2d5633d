import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { CustomerLimits } from '../packages/kit/aws/environment.js';
import { DEV_AUDIENCE, DEV_ISSUER, DEV_KEY_PREFIX, DEV_TOKEN_SECONDS } from './development.js';

/** Whose tokens the API believes. */
export interface AuthSettings {
  /** `iss` of each token. */
  readonly issuer: string;
  /** `aud` of each token. */
  readonly audience: string;
  /** Name of the claim that says `customer` or `operator`. */
  readonly roleClaim: string;
  /** How long a token may live, from `iat` to `exp`: longer ones are refused, since none can be taken back. */
  readonly maxTokenLifetime: Duration;
  /**
   * Inline key set (JSON). With it nothing is ever fetched: a key that its issuer takes back is believed until the next
   * deployment.
   * @default fetched from `jwksUri`
   */
  readonly jwks?: string;
  /**
   * Where the issuer's keys are, as its OpenID configuration says (`jwks_uri`).
   * @default `<issuer>/.well-known/jwks.json`
   */
  readonly jwksUri?: string;
}

/** Who moves the money. `sandbox` moves none: it stands in wherever nothing is sold. */
export type PaymentSettings =
  | { readonly provider: 'sandbox' }
  | {
      readonly provider: 'stripe';
      /** Name of the SecureString in Parameter Store that holds Stripe's secret key, made by hand: `/orderly/prod/…`. */
      readonly secretParameter: string;
    };

/** Requests that the firewall lets through within `FIREWALL_WINDOW`, at least 10. AWS counts them roughly. */
export interface FirewallSettings {
  /** Requests of one address, with or without a token. A shop's own servers are one address. */
  readonly requestsPerAddress: number;
  /** Requests with one token: of a customer, an operator, a program. */
  readonly requestsPerToken: number;
}

export const FIREWALL_WINDOW = Duration.minutes(1);

/** All that differs between two environments; the stacks are the same. */
export interface Settings {
  /** Part of each stack's name, and of the metrics' namespace: two environments fit into one account. */
  readonly environment: string;
  /**
   * Whether the data outlives the stack: tables and bus archive are retained, deletion-protected and restorable to a
   * point in time, and a development issuer is refused.
   */
  readonly keepsData: boolean;
  readonly logRetention: RetentionDays;
  /** How long the logs of functions behind the API are kept: they say which operator asked for what. */
  readonly auditRetention: RetentionDays;
  /** Never above INFO: which operator asked for what is written at that level. */
  readonly logLevel: 'DEBUG' | 'INFO';
  /**
   * A second copy of the services' tables, once a day into a vault of AWS Backup, each for `retention`; none where false. Every
   * copy is a full one, and costs as much as the table's storage (0.10 / GB a month). The table of people's keys isn't copied: a copy would bring forgotten people back.
   */
  readonly backup: false | { readonly retention: Duration };
  /** How long the bus archive can replay. */
  readonly archiveRetention: Duration;
  /** How long a duplicate is recognised, by consumers and by the API. */
  readonly dedupeWindow: Duration;
  /**
   * Deliveries of a message that fails for a passing reason until it becomes a failure record, 1 to 900. The pauses
   * double from 2 seconds up to 15 minutes: 8 are over after 2 minutes on average, 16 after an hour.
   */
  readonly consumerAttempts: number;
  /** What a customer may owe who orders for the first time; an operator changes it by customer. Smallest units. */
  readonly defaultCreditLimit: { readonly amount: number; readonly currency: string };
  /** What one customer may do; requests above a limit are refused, orders rejected. */
  readonly customerLimits: CustomerLimits;
  readonly payments: PaymentSettings;
  /** Requests a second that the API lets through over all clients, and how many at once on top. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** A web application firewall in front of the API (about 11 dollars a month); none where false. */
  readonly firewall: false | FirewallSettings;
  /**
   * Executions at once that AWS Lambda allows this environment: the quota of its account and Region, less what other
   * applications and environments there use. Functions that must go on in a flood of the API reserve their share of it.
   * Where false nothing is reserved: a new account may have a quota of 10, of which none can be reserved.
   */
  readonly concurrency: false | number;
  /**
   * Who is told of an alarm, by e-mail (the address has to confirm once).
   * @default nobody: alarms are seen in the console only
   */
  readonly alarmEmail?: string;
  readonly auth: AuthSettings;
}

/** Stands in `prod` until somebody fills in their own. `.invalid` resolves nowhere (RFC 2606). */
export const PLACEHOLDER_ISSUER = 'https://issuer.invalid/replace-me-in-lib-settings';

/** What a command line may put in the place of a setting (`cdk synth -c issuer=...`). */
export interface Overrides {
  readonly issuer?: string;
  readonly audience?: string;
  readonly jwks?: string;
  readonly jwksUri?: string;
  readonly alarmEmail?: string;
  /** No money is moved, whatever the environment: for a trial of `prod`, and for the simulator. */
  readonly paymentProvider?: 'sandbox';
  /** The words without which an environment that keeps data takes no inline key set, and no sandbox. */
  readonly allowInlineJwks?: 'true';
  readonly allowSandbox?: 'true';
}

const ENVIRONMENTS: Readonly<Record<string, Omit<Settings, 'environment'>>> = {
  dev: {
    keepsData: false,
    logRetention: RetentionDays.THREE_DAYS,
    auditRetention: RetentionDays.THREE_DAYS,
    logLevel: 'DEBUG',
    backup: false,
    archiveRetention: Duration.days(3),
    dedupeWindow: Duration.days(35),
    consumerAttempts: 8,
    defaultCreditLimit: { amount: 10_000_00, currency: 'EUR' },
    // Above what scenarios and load tests do with one customer.
    customerLimits: {
      ordersUnderWay: 2_000,
      ordersPerHour: 5_000,
      paymentsPerDay: 1_000,
      refundsPerDay: 1_000,
      refundedPerDay: 1_000_000_00,
    },
    payments: { provider: 'sandbox' },
    throttle: { rate: 500, burst: 500 },
    firewall: false,
    concurrency: false,
    auth: {
      issuer: DEV_ISSUER,
      audience: DEV_AUDIENCE,
      roleClaim: 'orderly_role',
      maxTokenLifetime: Duration.seconds(DEV_TOKEN_SECONDS),
    },
  },
  prod: {
    keepsData: true,
    logRetention: RetentionDays.THREE_MONTHS,
    auditRetention: RetentionDays.ONE_YEAR,
    logLevel: 'INFO',
    backup: { retention: Duration.days(7) },
    archiveRetention: Duration.days(90),
    dedupeWindow: Duration.days(35),
    consumerAttempts: 16,
    defaultCreditLimit: { amount: 1_000_00, currency: 'EUR' },
    customerLimits: {
      ordersUnderWay: 100,
      ordersPerHour: 300,
      paymentsPerDay: 50,
      refundsPerDay: 20,
      refundedPerDay: 10_000_00,
    },
    payments: { provider: 'stripe', secretParameter: '/orderly/prod/stripe-secret-key' },
    throttle: { rate: 500, burst: 1000 },
    firewall: { requestsPerAddress: 5_000, requestsPerToken: 600 },
    concurrency: 1000,
    auth: {
      issuer: PLACEHOLDER_ISSUER,
      audience: 'orderly',
      roleClaim: 'orderly_role',
      // The longest of Cognito's access tokens, and what Auth0's live for unless it is told otherwise.
      maxTokenLifetime: Duration.hours(24),
    },
  },
};

/** @throws {SettingsError} naming every limit that is no whole number above 0: 0 would stop the shop, `NaN` limits nothing */
export function checkCustomerLimits(environment: string, limits: CustomerLimits): void {
  const wrong = Object.entries(limits).flatMap(([name, most]) =>
    Number.isSafeInteger(most) && most > 0 ? [] : [name],
  );
  if (wrong.length === 0) return;
  throw new SettingsError(`customerLimits of '${environment}': expected whole numbers above 0: ${wrong.join(', ')}`);
}

/** The settings can't be deployed; the message says which and what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * @throws {SettingsError} for an environment that isn't described here, for settings with which every token would be refused,
 *   and, where data is kept, for what anybody could sign tokens by, or what gives goods away without a word to allow it
 */
export function settingsFor(environment: string, overrides: Overrides = {}): Settings {
  const known = Object.hasOwn(ENVIRONMENTS, environment) ? ENVIRONMENTS[environment] : undefined;
  if (!known) {
    const names = Object.keys(ENVIRONMENTS).join(', ');
    throw new SettingsError(`environment '${environment}' is unknown; lib/settings.ts knows: ${names}`);
  }
  const { issuer, audience, jwks, jwksUri, alarmEmail, paymentProvider } = overrides;
  checkCustomerLimits(environment, known.customerLimits);
  const auth: AuthSettings = {
    ...known.auth,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(jwks !== undefined && { jwks }),
    ...(jwksUri !== undefined && { jwksUri }),
  };
  if (paymentProvider !== undefined && paymentProvider !== 'sandbox') {
    throw new SettingsError("paymentProvider: only 'sandbox' can stand in; lib/settings.ts says who moves the money");
  }
  const payments: PaymentSettings = paymentProvider === undefined ? known.payments : { provider: paymentProvider };
  const settings = { ...known, environment, auth, payments, ...(alarmEmail !== undefined && { alarmEmail }) };
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

function isAllowed(word: 'allowInlineJwks' | 'allowSandbox', overrides: Overrides): boolean {
  const said: unknown = overrides[word];
  // cdk.json may hold the word as a boolean.
  if (said === undefined || String(said) === 'true') return said !== undefined;
  throw new SettingsError(`${word} is '${said}': expected true, or nothing`);
}

function checkAuth({ environment, keepsData, auth }: Settings, inlineIsAllowed: boolean): void {
  const { issuer, audience, roleClaim, jwks, jwksUri } = auth;
  const refuse = (why: string): never => {
    throw new SettingsError(`'${environment}': ${why}`);
  };
  if (keepsData && issuer === DEV_ISSUER) {
    throw new SettingsError(
      `the development issuer ${DEV_ISSUER} is refused in '${environment}': anyone can sign its tokens`,
    );
  }
  for (const [name, value] of Object.entries({ issuer, audience, roleClaim })) {
    if (value.trim() === '') refuse(`auth.${name} is empty: no token would be believed`);
  }
  // By http, whoever is on the way says which keys are the issuer's; the functions fetch none by it, and refuse all tokens.
  if (keepsData && !isHttps(issuer)) refuse(`the issuer is '${issuer}': expected an https: address`);
  const address = jwksUri ?? issuer;
  if (jwks === undefined && issuer !== DEV_ISSUER && !isHttps(address)) {
    refuse(`the issuer's keys are at '${address}': expected an https: address`);
  }
  if (jwks === undefined) return;
  const keys = keysIn(jwks) ?? refuse('jwks is no key set: expected {"keys":[...]} with a key at least');
  if (keys.some((key) => 'd' in key || 'k' in key)) refuse('jwks holds a private key: hand over the public ones');
  if (!keepsData) return;
  if (keys.some(({ kid }) => String(kid).startsWith(DEV_KEY_PREFIX))) {
    refuse('jwks holds a development key: anyone with its clone can sign tokens');
  }
  if (!inlineIsAllowed) {
    refuse('an inline jwks is believed until the next deployment: name a jwksUri, or add -c allowInlineJwks=true');
  }
}

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:';
}

/** Nothing where it isn't a JSON Web Key Set (RFC 7517, 5), or an empty one. */
function keysIn(jwks: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  try {
    const { keys } = JSON.parse(jwks) as { keys?: unknown };
    return Array.isArray(keys) && keys.length > 0 ? keys : undefined;
  } catch {
    return undefined;
  }
}

/** AWS takes no rate limit below this. */
const LOWEST_LIMIT = 10;
/** Of what the stage lets through, one address gets less than this part: five of them leave room for everybody else. */
const ADDRESS_PART = 1 / 5;

/** @throws {SettingsError} for a firewall whose limits would let one caller use up what all callers share */
export function checkFirewall({ firewall, throttle }: Pick<Settings, 'firewall' | 'throttle'>): void {
  if (!firewall) return;
  const { requestsPerAddress, requestsPerToken } = firewall;
  const below = throttle.rate * FIREWALL_WINDOW.toSeconds() * ADDRESS_PART;
  if (requestsPerAddress >= below) {
    throw new SettingsError(
      `firewall: requestsPerAddress is ${requestsPerAddress}; expected less than ${below}, a fifth of throttle.rate over a minute`,
    );
  }
  if (requestsPerToken > requestsPerAddress) {
    throw new SettingsError(
      `firewall: requestsPerToken is ${requestsPerToken}; expected at most requestsPerAddress, ${requestsPerAddress}`,
    );
  }
  if (requestsPerToken < LOWEST_LIMIT) {
    throw new SettingsError(`firewall: requestsPerToken is ${requestsPerToken}; expected at least ${LOWEST_LIMIT}`);
  }
}
