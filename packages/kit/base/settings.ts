import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { APP_NAME } from '../aws/app-names.js';
import { MAX_EPOCH } from '../messages/keys.js';
import { CANARY_MINUTES, type CanarySettings } from './canary-settings.js';
import type { MemorySettings } from './memory-settings.js';
import type { TracesSettings } from './traces-settings.js';

/** Issuer of the tokens that the API accepts, and the checks of a token. */
export interface AuthSettings {
  /** Required `iss` of a token. */
  readonly issuer: string;
  /** Required `aud` of a token; the app client's id for access tokens of Cognito, which have it as `client_id`. */
  readonly audience: string;
  /**
   * Kind of the tokens. `cognito-access`: access tokens of Amazon Cognito, which have `token_use` and `client_id` in the place of
   * `aud`. Cognito's ID tokens have `aud`, as those of other issuers.
   * @default 'with-audience'
   */
  readonly tokens?: 'with-audience' | 'cognito-access';
  /** Name of the claim that contains the caller's role: a text, or a list with one role among others (`cognito:groups`). */
  readonly roleClaim: string;
  /** Maximum lifetime of a token, from `iat` to `exp`. Longer ones are refused, because a token can't be revoked. */
  readonly maxTokenLifetime: Duration;
  /**
   * Inline key set (JSON). With it no keys are fetched, so a key that the issuer revokes is accepted until the next
   * deployment.
   * @default the key set is fetched from `jwksUri`
   */
  readonly jwks?: string;
  /**
   * Address of the issuer's key set (`jwks_uri` of its OpenID configuration).
   * @default `<issuer>/.well-known/jwks.json`
   */
  readonly jwksUri?: string;
}

/** Maximum numbers of requests within `FIREWALL_WINDOW`, at least 10. AWS estimates the counts. */
export interface FirewallSettings {
  /** Requests of one address, with or without a token. All servers behind one NAT gateway are one address. */
  readonly requestsPerAddress: number;
  /** Requests with one token, whether a person or a program uses it. */
  readonly requestsPerToken: number;
}

/** Budget of an account. */
export interface MonthlyBudget {
  /** Amount a month, above 0. */
  readonly amount: number;
  /** Currency of the account's bill: `USD`. */
  readonly currency: string;
}

export const FIREWALL_WINDOW = Duration.minutes(1);

/** A host name of one's own for the API, so that clients never see the gateway's id. */
export interface DomainSettings {
  /** Host name in lower case. One API of an account and Region can have it. @example 'api.example.org' */
  readonly name: string;
  /** ARN of an issued certificate of AWS Certificate Manager for `name`, in the Region of the API. */
  readonly certificateArn: string;
  /**
   * Public hosted zone of Route 53 that gets the record of `name`.
   * @default none: create a CNAME record to the output `ApiDomainTarget` where the name's DNS is
   */
  readonly hostedZone?: { readonly id: string; readonly name: string };
  /**
   * Whether the address with the gateway's id keeps answering, for the time in which clients move to `name`.
   * @default false
   */
  readonly keepsGatewayAddress?: boolean;
}

/** Settings of an application that are the same in all of its environments. */
export interface AppSettings {
  /**
   * Name of the application: 2 to 32 of `a-z`, `0-9` and `-`. It is the prefix of its events' sources, its problem types, its
   * stacks, tags and metrics. Never change it, because stored messages contain it.
   */
  readonly name: string;
  /** Roles of callers in tokens: `a-z` and `-`. Not `service`, which is the actor of the services themselves. */
  readonly roles: readonly string[];
  /** Roles of operators. Their requests are logged with the caller's id, and histories show their ids to operators only. */
  readonly operatorRoles: readonly string[];
  /**
   * Path or address of the runbook: a page with the alarms' names as its headings, or a folder that ends with `/` and has a page
   * `alarms/<alarm>.md` for each alarm. Alarms name it.
   * @default alarms say what happened only
   */
  readonly runbook?: string;
}

/** A deduplication window with the time from which it holds. */
export interface DedupeWindowEntry {
  /**
   * Date or time in UTC: `2026-12-01`, `2026-12-01T08:00:00Z`. For a longer window it is later than the deployment that
   * brings it: functions of the release before keep records for the shorter one until they are replaced. For a shorter
   * window it has passed. The first entry holds before its time, too.
   */
  readonly from: string;
  readonly window: Duration;
}

/** Deduplication window that never changed, or all windows in ascending order of their times. */
export type DedupeWindowSetting = Duration | readonly DedupeWindowEntry[];

/** Settings of one environment that the kit's constructs read. An app adds its own settings. */
export interface EnvironmentSettings {
  readonly app: AppSettings;
  /** Part of each stack's name and of the metrics' namespace. It separates two environments in one account. */
  readonly environment: string;
  /**
   * Whether the data outlives the stack. Then tables and bus archive are retained, tables are deletion-protected and have
   * point-in-time recovery, and a development issuer is refused.
   */
  readonly keepsData: boolean;
  /**
   * Whether tables and stacks of an environment that keeps data are protected from deletion. Take `off` for the first
   * deployment only: the rollback of a creation that fails can't delete a protected table, and `cdk deploy` can't replace a
   * protected stack whose creation has failed. What has data is retained without the protection, too.
   * @default 'on'
   */
  readonly protection?: 'on' | 'off';
  readonly logRetention: RetentionDays;
  /** Retention of the logs of functions behind the API. They show which operator requested what. */
  readonly auditRetention: RetentionDays;
  /** Log level. It is never above INFO, because operators' requests are logged at that level. */
  readonly logLevel: 'DEBUG' | 'INFO';
  /**
   * Texts of errors in failure records and logs. `safe`: those that an error declares as safe, and those of the language, the
   * platform and the SDK; any other may contain a person's data. `full`: all of them, which an environment that keeps its data
   * refuses.
   * @default 'safe'
   */
  readonly failureTexts?: 'safe' | 'full';
  /**
   * Daily copies of the services' tables in a vault of AWS Backup, each kept for `retention`, or `false` for none. Every copy
   * is a full one, and costs as much as the table's storage (0.10 dollars per GB and month). The table of people's keys is not
   * copied, because a restore would bring the keys of forgotten people back.
   */
  readonly backup: false | { readonly retention: Duration };
  /** Time for which the bus's archive can replay events. */
  readonly archiveRetention: Duration;
  /**
   * Deduplication window of consumers and of the API. Never change a window that is deployed, because its records keep it:
   * change a `Duration` into a list whose first entry has it, and add the new window with the time from which it holds.
   * `checkDeployedWindow` refuses the rest.
   * @example [{ from: '2026-01-01', window: Duration.days(35) }, { from: '2026-12-01', window: Duration.days(60) }]
   */
  readonly dedupeWindow: DedupeWindowSetting;
  /**
   * Shards of the feed (the index of all commits), each entry with the time from which it holds. A shard takes about 500 commits
   * a second: a partition of DynamoDB takes 1,000 write units, and a commit above 1 KB is 2 of them. More shards are a new entry
   * at the end with a time to come. Never change or remove an entry that is deployed: readers of the feed look for its commits there.
   * @default 8 shards, for ever
   * @example [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }, { from: '2026-12-01T00:00:00.000Z', shards: 32 }]
   */
  readonly feedShards?: FeedShardsSetting;
  /**
   * Epochs by service: how often it was restored to an earlier instant. Each commit stores the epoch in which it is written, so that
   * consumers can tell a version after the restore from the same version before it. Raise it by one with each restore
   * (`restore plan`), and never lower it. At most 900,000.
   * @default 0 for each service
   */
  readonly epochs?: Readonly<Record<string, number>>;
  /**
   * Number of deliveries of a message with a transient failure before it becomes a failure record, 1 to 900. The pauses
   * double from 2 seconds up to 15 minutes: 8 deliveries take 2 minutes on average, 16 take an hour.
   */
  readonly consumerAttempts: number;
  /** Requests per second that the API accepts for each route from all clients together, and the burst above that rate. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** Limits of the web application firewall in front of the API (about 11 dollars a month), or `false` for none. */
  readonly firewall: false | FirewallSettings;
  /**
   * Concurrent executions of AWS Lambda that this environment may use: the quota of its account and Region, minus the share
   * of other applications and environments there. Functions that must work during a flood of API requests reserve a part
   * of it. `false` reserves nothing.
   *
   * `'small'` is for a new account, whose quota may be 10: AWS reserves none of so few. Nothing is reserved, each queue is processed by 2
   * invocations at once and each shard of a stream by one, the fewest that AWS accepts. Set `throttle` accordingly.
   */
  readonly concurrency: false | 'small' | number;
  /**
   * Progressive deployment of endpoints and consumers: a new release receives a tenth of the calls for so many minutes, and is
   * taken back if it fails. Each of these functions then has a version, an alias, an alarm (0.30 dollars a month) and a deployment
   * group, and a deployment takes that much longer.
   * @default none: a deployment replaces each function at once
   */
  readonly canary?: CanarySettings;
  /** Memory of functions by kind, in MB, where it differs from the kit's (`memory-settings.ts`). @default none */
  readonly memory?: MemorySettings;
  /**
   * Traces by OpenTelemetry: one for each request, through relays, queues and consumers to its last message. Functions write a line
   * of log for each span, and one function exports them. `Bundles` and `Platform` must know of it (`docs/how-to/traces.md`).
   * @default none: no function writes spans
   */
  readonly traces?: TracesSettings;
  readonly auth: AuthSettings;
  /**
   * Origins whose pages may call the API from a browser (CORS), as browsers send them: scheme, host, and the port unless it is the default
   * one. At most 10; `http` for `localhost` only. With one origin, its pages read every answer. With several, they don't read those that the
   * gateway or the firewall gives before the authorizer, such as 429: the browser reports a failed request.
   * @default none
   * @example ['https://shop.example.org', 'http://localhost:5173']
   */
  readonly cors?: readonly string[];
  /**
   * Host name of one's own for the API.
   * @default none: the address has the gateway's id, and a new API has another one
   * @example { name: 'api.example.org', certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/1a2b', hostedZone: { id: 'Z0123456789ABCDEFGHIJ', name: 'example.org' } }
   */
  readonly domain?: DomainSettings;
  /**
   * E-mail address that receives the pages: alarms that need somebody at once. Its owner must confirm the subscription once.
   * @default none: only the console shows alarms
   */
  readonly alarmEmail?: string;
  /**
   * E-mail address that receives the tickets: alarms that wait for working hours. Its owner must confirm the subscription once.
   * @default alarmEmail
   */
  readonly ticketEmail?: string;
  /**
   * Costs of the whole account in a month. A ticket is sent at 80 % of them, and when AWS forecasts more than all of them. AWS
   * looks at costs a few times a day.
   * @default none
   */
  readonly monthlyBudget?: MonthlyBudget;
  /**
   * Time without a single request after which the API counts as out of reach, up to a day. Choose it longer than the longest pause of
   * its callers, or let something call it by itself.
   * @default none: an API without requests raises no alarm
   */
  readonly apiQuietAfter?: Duration;
  /**
   * Whether all queues of a service share one policy (`service`), or each has its own (`queue`). An app that an earlier version of the
   * kit has deployed takes `queue` for one release, and the default after it: until then, CloudFormation would clear the policies that
   * leave the stack.
   * @default 'service'
   */
  readonly queuePolicies?: 'service' | 'queue';
  /**
   * How inboxes store messages: as text (`plain`), or compressed, which halves the write units of a message and of each change of its
   * status. An app that is deployed already takes `compressed` in the release after the first one whose kit reads it: functions of an
   * earlier one can't read it.
   * @default 'plain'
   */
  readonly inboxPayloads?: 'plain' | 'compressed';
}

/** Settings that replace the defaults of `developmentSettings`. Only the app and its issuer have no default. */
export interface DevelopmentSettings extends Partial<Omit<EnvironmentSettings, 'app' | 'auth' | 'keepsData'>> {
  readonly app: Pick<AppSettings, 'name' | 'roles'> & Partial<AppSettings>;
  readonly auth: Pick<AuthSettings, 'issuer' | 'audience'> & Partial<AuthSettings>;
}

/**
 * Settings of an environment whose data is deleted with its stacks: no backup, no firewall, no reserved concurrency, all texts
 * of errors in failure records and logs, logs and archive for three days, 8 attempts of a consumer, a deduplication window of 35 days, 500 requests a second; `role` is
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
  failureTexts: 'full',
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

/** Error for settings that can't be deployed. The message names the setting and the fix. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Checks the name and the roles of an application.
 * @throws {SettingsError} for a name that can't be part of sources, URNs and stack names, or for a malformed role
 */
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

/**
 * Checks the progressive deployment.
 * @throws {SettingsError} for minutes of which CodeDeploy has no predefined configuration
 */
export function checkCanary({ environment, canary }: Pick<EnvironmentSettings, 'environment' | 'canary'>): void {
  if (!canary || CANARY_MINUTES.includes(canary.minutes)) return;
  throw new SettingsError(
    `canary.minutes of '${environment}' is ${canary.minutes}: expected one of ${CANARY_MINUTES.join(', ')}, or no canary`,
  );
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Checks where traces are exported to.
 * @throws {SettingsError} for an unknown exporter, a missing or superfluous endpoint, one without TLS, and for a share that samples
 *   nothing
 */
export function checkTraces({ environment, traces }: Pick<EnvironmentSettings, 'environment' | 'traces'>): void {
  if (!traces) return;
  const { exporter, share = 1 } = traces;
  const refuse = (setting: string, text: string): never => {
    throw new SettingsError(`traces${setting} of '${environment}': ${text}`);
  };
  if (!(share > 0 && share <= 1)) refuse('.share', `expected a number above 0 and at most 1: ${share}`);
  if (exporter !== 'x-ray' && exporter !== 'otlp')
    refuse('.exporter', `expected 'x-ray' or 'otlp': ${String(exporter)}`);
  const endpoint: unknown = 'endpoint' in traces ? traces.endpoint : undefined;
  if (exporter === 'x-ray') {
    if (endpoint !== undefined)
      refuse('.endpoint', "the exporter 'x-ray' has the endpoint of its Region: expected none, or the exporter 'otlp'");
    return;
  }
  const url = typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) return;
  refuse(
    '.endpoint',
    `expected the https address of an OTLP/HTTP receiver (http on this machine only), such as https://collector.example.org:4318: ${String(endpoint ?? 'none')}`,
  );
}

/**
 * Checks the texts of errors that an environment keeps.
 * @throws {SettingsError} if an environment that keeps its data would keep all of them: a text may contain a person's data, and
 *   nobody could delete it from records, copies and logs
 */
export function checkFailureTexts({ environment, keepsData, failureTexts }: EnvironmentSettings): void {
  if (failureTexts !== 'full' || !keepsData) return;
  throw new SettingsError(
    `failureTexts of '${environment}' is 'full', and it keeps its data: expected 'safe', since texts of errors may contain data of people`,
  );
}

/** Shards of the feed, and the time from which each number holds (ISO 8601, UTC, with milliseconds). */
export type FeedShardsSetting = readonly { readonly from: string; readonly shards: number }[];

/** Most shards of the feed. A reader of the feed asks for each shard of each hour. */
const MAX_SHARDS = 256;
const DEFAULT_SHARDS: FeedShardsSetting = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];

/**
 * Returns the shards of the feed.
 * @throws {SettingsError} if the list does not begin in 1970, is not in ascending order by time and by number, or has a number that
 *   is not 1 to 256
 */
export function resolveFeedShards({
  feedShards = DEFAULT_SHARDS,
}: Pick<EnvironmentSettings, 'feedShards'>): FeedShardsSetting {
  const wrong = (expected: string): SettingsError => new SettingsError(`feedShards: expected ${expected}`);
  if (feedShards[0]?.from !== DEFAULT_SHARDS[0]?.from) {
    throw wrong("the first entry to be from '1970-01-01T00:00:00.000Z', so that no commit is older");
  }
  for (const [at, { from, shards }] of feedShards.entries()) {
    if (new Date(from).toJSON() !== from) throw wrong(`a time such as '2026-12-01T00:00:00.000Z', and not '${from}'`);
    if (!Number.isSafeInteger(shards) || shards < 1 || shards > MAX_SHARDS) {
      throw wrong(`1 to ${MAX_SHARDS} shards from ${from}, and not ${shards}`);
    }
    const before = feedShards[at - 1];
    if (before && (before.from >= from || before.shards >= shards)) {
      throw wrong(`a later time and more shards than before in the entry from ${from}`);
    }
  }
  return feedShards;
}

/**
 * Returns the epoch of a service.
 * @throws {SettingsError} if it is not a whole number from 0 to 900,000
 */
export function resolveEpoch({ epochs = {} }: Pick<EnvironmentSettings, 'epochs'>, service: string): number {
  const epoch = Object.hasOwn(epochs, service) ? Number(epochs[service]) : 0;
  if (Number.isSafeInteger(epoch) && epoch >= 0 && epoch <= MAX_EPOCH) return epoch;
  throw new SettingsError(
    `epochs.${service} is ${epochs[service]}: expected the number of restores, a whole number from 0 to ${MAX_EPOCH}`,
  );
}

/** Lowest rate limit that AWS accepts. */
const MIN_LIMIT = 10;
/** Maximum share of the stage's throttle for one address, so that five addresses can't use it up. */
const ADDRESS_PART = 1 / 5;

/**
 * Checks the limits of the firewall.
 * @throws {SettingsError} if one caller could use up the throttle that all callers share
 */
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
  if (requestsPerToken < MIN_LIMIT) {
    throw new SettingsError(`firewall: requestsPerToken is ${requestsPerToken}; expected at least ${MIN_LIMIT}`);
  }
}
