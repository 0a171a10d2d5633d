import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DEV_AUDIENCE, DEV_ISSUER } from '../tools/local/dev-issuer.js';

/** Whose tokens the API believes. */
export interface AuthSettings {
  /** `iss` of each token. */
  readonly issuer: string;
  /** `aud` of each token. */
  readonly audience: string;
  /** Name of the claim that says `customer` or `operator`. */
  readonly roleClaim: string;
  /**
   * Inline key set (JSON). With it nothing is ever fetched.
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
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN';
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
  readonly payments: PaymentSettings;
  /** Requests a second that the API lets through over all clients, and how many at once on top. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** A web application firewall in front of the API (about 11 dollars a month); none where false. */
  readonly firewall: false | FirewallSettings;
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
}

const ENVIRONMENTS: Readonly<Record<string, Omit<Settings, 'environment'>>> = {
  dev: {
    keepsData: false,
    logRetention: RetentionDays.THREE_DAYS,
    logLevel: 'DEBUG',
    archiveRetention: Duration.days(3),
    dedupeWindow: Duration.days(35),
    consumerAttempts: 8,
    defaultCreditLimit: { amount: 10_000_00, currency: 'EUR' },
    payments: { provider: 'sandbox' },
    throttle: { rate: 500, burst: 500 },
    firewall: false,
    auth: { issuer: DEV_ISSUER, audience: DEV_AUDIENCE, roleClaim: 'orderly_role' },
  },
  prod: {
    keepsData: true,
    logRetention: RetentionDays.THREE_MONTHS,
    logLevel: 'INFO',
    archiveRetention: Duration.days(90),
    dedupeWindow: Duration.days(35),
    consumerAttempts: 16,
    defaultCreditLimit: { amount: 1_000_00, currency: 'EUR' },
    payments: { provider: 'stripe', secretParameter: '/orderly/prod/stripe-secret-key' },
    throttle: { rate: 500, burst: 1000 },
    firewall: { requestsPerAddress: 5_000, requestsPerToken: 600 },
    auth: { issuer: PLACEHOLDER_ISSUER, audience: 'orderly', roleClaim: 'orderly_role' },
  },
};

/** The settings can't be deployed; the message says which and what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * @throws {SettingsError} for an environment that isn't described here, and for the development issuer where data is kept
 */
export function settingsFor(
  environment: string,
  { issuer, audience, jwks, jwksUri, alarmEmail, paymentProvider }: Overrides = {},
): Settings {
  const known = Object.hasOwn(ENVIRONMENTS, environment) ? ENVIRONMENTS[environment] : undefined;
  if (!known) {
    const names = Object.keys(ENVIRONMENTS).join(', ');
    throw new SettingsError(`environment '${environment}' is unknown; lib/settings.ts knows: ${names}`);
  }
  const auth: AuthSettings = {
    ...known.auth,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(jwks !== undefined && { jwks }),
    ...(jwksUri !== undefined && { jwksUri }),
  };
  if (known.keepsData && auth.issuer === DEV_ISSUER) {
    throw new SettingsError(
      `the development issuer ${DEV_ISSUER} is refused in '${environment}': anyone can sign its tokens`,
    );
  }
  if (paymentProvider !== undefined && paymentProvider !== 'sandbox') {
    throw new SettingsError("paymentProvider: only 'sandbox' can stand in; lib/settings.ts says who moves the money");
  }
  const payments: PaymentSettings = paymentProvider === undefined ? known.payments : { provider: paymentProvider };
  return { ...known, environment, auth, payments, ...(alarmEmail !== undefined && { alarmEmail }) };
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
