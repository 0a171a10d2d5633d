import type { DedupeWindow } from '../aws/dedupe-window.js';

/** Shared by the stacks, which write these outputs, and by the operator's commands, which find a deployment by them. */

/**
 * Names of outputs. Their values are names that CloudFormation gave, and are therefore never guessed.
 *
 * In a stack with several services, each key begins with a prefix of its service, without a hash: `BoardServiceName`,
 * `BoardTableName`. A service with the construct id `Default` has the empty prefix. So each key that ends in `ServiceName`
 * is one service, and the eight keys of a service share what stands before it ({@link servicePrefixes}). The outputs of
 * `Platform` and `Api` have their prefix by the same rule.
 *
 * No output is exported. CloudFormation limits the value of an export to 1,024 characters, and the lists are longer; an
 * output that is not exported has no such limit.
 */
export const Output = {
  SERVICE: 'ServiceName',
  TABLE: 'TableName',
  RECORDS: 'RecordsName',
  /** The relay function. */
  RELAY: 'RelayName',
  /** Number of times that the service was restored. */
  EPOCH: 'Epoch',
  /** JSON array: the shards of the feed, and the times from which they hold. */
  FEED_SHARDS: 'FeedShards',
  /** JSON array of {@link ConsumerDescription}. */
  CONSUMERS: 'Consumers',
  /** JSON array of {@link FunctionDescription}: the functions of a service, of the API, of the delivery audit or of the operator's API. */
  FUNCTIONS: 'Functions',
  /** JSON array: names of the stacks that the operator's API reads, in any one stack of the application. */
  OPERATED_STACKS: 'OperatedStacks',
  /** Table of the delivery audit, in any one stack of the application. */
  AUDIT_TABLE: 'AuditTableName',
  BUS: 'BusName',
  /** Table of people's data keys, in any one stack of the application. */
  PERSONAL_KEYS: 'PersonalKeysName',
  /** ARN of the KMS key that wraps them. */
  PERSONAL_DATA_KEY: 'PersonalDataKeyArn',
} as const;

/**
 * Name of the alias through which a function is called where releases are deployed progressively (setting `canary`). AWS lists the
 * event source mappings of such a function by the ARN of the alias only.
 */
export const LIVE_ALIAS = 'live';

/** Prefix of the partition keys of the audit log, in each service's table. One partition has the entries of a month. */
export const AUDIT_PREFIX = 'AUDIT#';

/**
 * Returns the prefix of each service whose outputs a stack has.
 * @example servicePrefixes(['BoardServiceName', 'BoardTableName', 'ServiceName']) // ['Board', '']
 */
export const servicePrefixes = (keys: readonly string[]): readonly string[] =>
  keys.filter((key) => key.endsWith(Output.SERVICE)).map((key) => key.slice(0, -Output.SERVICE.length));

/** End of the key with an API's address. */
const API_URL = 'ApiUrl';

/** Returns the prefix of each API whose outputs a stack has. @example apiPrefixes(['PublicApiUrl', 'ApiUrl']) // ['PublicApi', 'Api'] */
export const apiPrefixes = (keys: readonly string[]): readonly string[] =>
  keys.filter((key) => key.endsWith(API_URL)).map((key) => key.slice(0, -'Url'.length));

/** Returns the prefix of each delivery audit whose outputs a stack has. */
export const auditPrefixes = (keys: readonly string[]): readonly string[] =>
  keys.filter((key) => key.endsWith(Output.AUDIT_TABLE)).map((key) => key.slice(0, -Output.AUDIT_TABLE.length));

/** Returns the prefix of each operator's API whose outputs a stack has. */
export const operatorApiPrefixes = (keys: readonly string[]): readonly string[] =>
  keys.filter((key) => key.endsWith(Output.OPERATED_STACKS)).map((key) => key.slice(0, -Output.OPERATED_STACKS.length));

/** How the messages of an inbox depend on each other. */
export const INBOX_MODES = ['single', 'sequential', 'batch'] as const;
export type InboxMode = (typeof INBOX_MODES)[number];

/** A consumer, as the output `Consumers` of its service's stack describes it. */
export interface ConsumerDescription {
  readonly name: string;
  readonly generation: number;
  /** Time of the first deployment of its name and generation, if its construct says it: a date, or ISO 8601, UTC. */
  readonly since?: string;
  readonly queueUrl: string;
  /** Events that it subscribes to, by the service that publishes them. */
  readonly events: readonly { readonly service: string; readonly types: readonly string[] }[];
  /** Whether it handles the commands to its service. */
  readonly takesCommands: boolean;
  /** Time for which its processed records are kept, in seconds. */
  readonly dedupeWindowSeconds: DedupeWindow;
  /** Maximum time for which the bus and the queues keep an event. */
  readonly longestRedeliverySeconds: number;
  /** Whether it is a projection, which keeps no processed records: the version in each row shows what was applied. */
  readonly projection: boolean;
  /** Name of the function that rebuilds the projection. */
  readonly rebuild?: string;
  /** Type of the sagas that it runs. */
  readonly saga?: string;
  /** Mode of its inbox, and the queue of its runner, if it stores messages before it processes them. */
  readonly inbox?: {
    readonly mode: InboxMode;
    readonly queueUrl: string;
    /** Present if its messages wait for systems of others: then it is no fault that one waits long. */
    readonly waitsForOthers?: true;
  };
  /** Name of the function that writes its lane, if it stores messages under contention in one. */
  readonly lane?: { readonly writer: string };
}

/** A function, as the output `Functions` of its service or its API describes it. */
export interface FunctionDescription {
  /** Service in its logs, metrics and envelopes; `platform` for the authorizer, `audit` for the delivery audit, `operations` for the operator's API. */
  readonly service: string;
  /** Name of its entry point: `orders/place-order`, `kit/outbox/relay`. Several functions may share one. */
  readonly entry: string;
  /** Physical name. */
  readonly name: string;
  /** Consumer whose messages it handles, whose dead-letter queues it drains, or to which it sends timers. */
  readonly consumer?: string;
}

/** Folder below an app's root with the source map of each bundle, as the newest synth has made it. */
export const SOURCE_MAPS = '.build/source-maps';
