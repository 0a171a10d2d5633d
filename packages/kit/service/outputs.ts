/**
 * Names of the outputs by which tools find the services of a stack. In a stack with several services, each key begins with
 * a prefix of its service, without a hash: `BoardServiceName`, `BoardTableName`. A service with the construct id `Default`
 * has the empty prefix. So each key that ends in `ServiceName` is one service, and the five keys of a service share what
 * stands before it (`servicePrefixes`). The outputs of `Platform` (`BusName`, `PersonalKeysName`, `PersonalDataKeyArn`) have
 * its prefix by the same rule.
 */
export const ServiceOutput = {
  SERVICE: 'ServiceName',
  TABLE: 'TableName',
  RECORDS: 'RecordsName',
  /** Name of the relay function. */
  RELAY: 'RelayName',
  /** JSON: an array of `ConsumerDescription`. */
  CONSUMERS: 'Consumers',
} as const;

/**
 * Returns the prefix of each service whose outputs a stack has.
 * @example servicePrefixes(['BoardServiceName', 'BoardTableName', 'ServiceName']) // ['Board', '']
 */
export const servicePrefixes = (keys: readonly string[]): readonly string[] =>
  keys.filter((key) => key.endsWith(ServiceOutput.SERVICE)).map((key) => key.slice(0, -ServiceOutput.SERVICE.length));

/** Description of a consumer for the operator's command line, in the output `Consumers` of its service. */
export interface ConsumerDescription {
  readonly name: string;
  readonly generation: number;
  readonly queueUrl: string;
  /** Event types that it hears, by publisher. */
  readonly events: readonly { readonly service: string; readonly types: readonly string[] }[];
  /** Whether it receives the commands to its service. */
  readonly takesCommands: boolean;
  /** Time for which its processed records are kept. */
  readonly dedupeWindowSeconds: number;
  /** Longest time for which bus and queues keep an event. */
  readonly longestRedeliverySeconds: number;
  /** Whether it keeps a projection. Then it has no processed records: the versions of its rows say what it has seen. */
  readonly projection: boolean;
  /** Name of the function that rebuilds the projection. */
  readonly rebuild?: string;
  /** Type of the sagas that it leads. */
  readonly saga?: string;
}
