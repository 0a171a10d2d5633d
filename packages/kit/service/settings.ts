import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { APP_NAME } from '../aws/app-names.js';

/** Whose tokens the API believes. */
export interface AuthSettings {
  /** `iss` of each token. */
  readonly issuer: string;
  /** `aud` of each token. */
  readonly audience: string;
  /** Name of the claim that says the caller's role. */
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

/** Requests that the firewall lets through within `FIREWALL_WINDOW`, at least 10. AWS counts them roughly. */
export interface FirewallSettings {
  /** Requests of one address, with or without a token. A shop's own servers are one address. */
  readonly requestsPerAddress: number;
  /** Requests with one token: of a customer, an operator, a program. */
  readonly requestsPerToken: number;
}

export const FIREWALL_WINDOW = Duration.minutes(1);

/** An application of the kit, the same in all of its environments. */
export interface AppSettings {
  /**
   * Name of the application, 2 to 32 of `a-z`, `0-9` and `-`: the sources of its events, the types of its problems, its stacks,
   * tags and metrics begin with it. Stored messages have it, so it never changes.
   */
  readonly name: string;
  /** Roles of callers, as tokens name them: `a-z` and `-`. Not `service`, by which services name themselves as actors. */
  readonly roles: readonly string[];
  /** Those of `roles` whose requests are logged by who asks, and whose names histories show to each other only. */
  readonly operatorRoles: readonly string[];
  /**
   * Page that says what to do about each alarm, under the alarm's name as its heading: a path or an address. Alarms name it.
   * @default alarms say what happened only
   */
  readonly runbook?: string;
}

/** Settings of one environment that the kit's constructs read. An app extends them by its own. */
export interface EnvironmentSettings {
  readonly app: AppSettings;
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
  /** Time for which the bus's archive can replay events. */
  readonly archiveRetention: Duration;
  /** How long a duplicate is recognised, by consumers and by the API. */
  readonly dedupeWindow: Duration;
  /**
   * Deliveries of a message that fails for a passing reason until it becomes a failure record, 1 to 900. The pauses
   * double from 2 seconds up to 15 minutes: 8 are over after 2 minutes on average, 16 after an hour.
   */
  readonly consumerAttempts: number;
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
  readonly auth: AuthSettings;
  /**
   * Address to which alarms are sent by e-mail. It must confirm the subscription once.
   * @default none: alarms are seen in the console only
   */
  readonly alarmEmail?: string;
}

/** Settings that replace the defaults of `developmentSettings`. Only the app and its issuer have no default. */
export interface DevelopmentSettings extends Partial<Omit<EnvironmentSettings, 'app' | 'auth' | 'keepsData'>> {
  readonly app: Pick<AppSettings, 'name' | 'roles'> & Partial<AppSettings>;
  readonly auth: Pick<AuthSettings, 'issuer' | 'audience'> & Partial<AuthSettings>;
}

/**
 * Settings of an environment whose data is deleted with its stacks: no backup, no firewall, no reserved concurrency, logs
 * and archive for three days, 8 attempts of a consumer, a deduplication window of 35 days, 500 requests a second; `role` is
 * the claim of the role, tokens live for 12 hours at most, and no role is an operator's.
 *
 * @param own replaces the defaults
 * @example developmentSettings({
 *   app: { name: 'tickets', roles: ['agent', 'visitor'], operatorRoles: ['agent'] },
 *   auth: { issuer: 'https://login.example.com', audience: 'tickets' },
 * })
 */
export const developmentSettings = (own: DevelopmentSettings): EnvironmentSettings => ({
  environment: 'dev',
  logRetention: RetentionDays.THREE_DAYS,
  auditRetention: RetentionDays.THREE_DAYS,
  logLevel: 'DEBUG',
  backup: false,
  archiveRetention: Duration.days(3),
  dedupeWindow: Duration.days(35),
  consumerAttempts: 8,
  throttle: { rate: 500, burst: 500 },
  firewall: false,
  concurrency: false,
  ...own,
  keepsData: false,
  app: { operatorRoles: [], ...own.app },
  auth: { roleClaim: 'role', maxTokenLifetime: Duration.hours(12), ...own.auth },
});

/** The settings can't be deployed; the message says which and what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** @throws {SettingsError} for a name that can't stand in sources, URNs and names of stacks, or a role that is none */
export function checkApp({ app }: Pick<EnvironmentSettings, 'app'>): void {
  const { name, roles, operatorRoles } = app;
  if (!APP_NAME.test(name)) {
    throw new SettingsError(
      `app.name is '${name}': expected 2 to 32 of a-z, 0-9 and -, beginning with a letter and not ending in -`,
    );
  }
  const wrong = roles.filter((role) => !/^[a-z][a-z-]*$/.test(role) || role === 'service');
  if (roles.length === 0 || wrong.length > 0) {
    throw new SettingsError(`app.roles: expected names of a-z and -, and not 'service': ${wrong.join(', ') || 'none'}`);
  }
  const unknown = operatorRoles.filter((role) => !roles.includes(role));
  if (unknown.length > 0) throw new SettingsError(`app.operatorRoles: not in app.roles: ${unknown.join(', ')}`);
}

/** AWS takes no rate limit below this. */
const LOWEST_LIMIT = 10;
/** Of what the stage lets through, one address gets less than this part: five of them leave room for everybody else. */
const ADDRESS_PART = 1 / 5;

/** @throws {SettingsError} for a firewall whose limits would let one caller use up what all callers share */
export function checkFirewall({ firewall, throttle }: Pick<EnvironmentSettings, 'firewall' | 'throttle'>): void {
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
