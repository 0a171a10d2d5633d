import {
  type AuthSettings,
  developmentSettings,
  type EnvironmentSettings,
  SettingsError,
} from '@orderly/kit/constructs';
import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { APP } from '../lambdas/app.js';
import type { CustomerLimits } from '../lambdas/environment.js';
import { checkAuth } from './auth-settings.js';
import { DEV_AUDIENCE, DEV_ISSUER, DEV_TOKEN_SECONDS } from './development.js';

/** Who moves the money. `sandbox` moves none: it stands in wherever nothing is sold. */
export type PaymentSettings =
  | { readonly provider: 'sandbox' }
  | {
      readonly provider: 'stripe';
      /** Name of the SecureString in Parameter Store that holds Stripe's secret key, made by hand: `/orderly/prod/…`. */
      readonly secretParameter: string;
    };

/** All that differs between two environments; the stacks are the same. */
export interface Settings extends EnvironmentSettings {
  /** What a customer may owe who orders for the first time; an operator changes it by customer. Smallest units. */
  readonly defaultCreditLimit: { readonly amount: number; readonly currency: string };
  /** What one customer may do; requests above a limit are refused, orders rejected. */
  readonly customerLimits: CustomerLimits;
  readonly payments: PaymentSettings;
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

const ENVIRONMENTS: Readonly<Record<string, Omit<Settings, 'app' | 'environment'>>> = {
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
    // Above what scenarios and load tests do with one customer.
    customerLimits: {
      ordersUnderWay: 2_000,
      ordersPerHour: 5_000,
      paymentsPerDay: 1_000,
      refundsPerDay: 1_000,
      refundedPerDay: 1_000_000_00,
    },
    payments: { provider: 'sandbox' },
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
  const settings = { ...known, app: APP, environment, auth, payments, ...(alarmEmail !== undefined && { alarmEmail }) };
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
