/** Kinds of what the resource browser shows. */
export const RESOURCE_KINDS = ['tables', 'queues', 'buckets', 'logs'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** One resource in the list. */
export interface DataResource {
  /** Name of the table, queue, bucket or function. */
  readonly name: string;
  /** Path of its construct. */
  readonly label: string;
  /** Name of its stack. */
  readonly service: string;
  /** Number of items, messages or objects, without those that are gone. Of logs: the lines that are remembered. */
  readonly count: number;
  /** Of a queue: messages with a consumer. */
  readonly inFlight?: number;
}

/** Answer to `GET /_console/data`. */
export type DataResources = Readonly<Record<ResourceKind, readonly DataResource[]>>;

/** A page of what is in a resource. */
export interface DataPage<Entry> {
  readonly entries: readonly Entry[];
  /** `after` of the next page; absent on the last one. */
  readonly next?: string;
}

/** An item of a table: `GET /_console/data/tables/<name>?keys=&after=`. */
export interface DataItem {
  /** Texts of its partition key and its sort key. */
  readonly key: readonly string[];
  /** The item as the table holds it: numbers, lists and maps as JSON has them, sets as lists, binary values as Base64. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** A message of a queue: `GET /_console/data/queues/<name>?text=&after=`. */
export interface DataMessage {
  readonly id: string;
  readonly state: 'visible' | 'in flight' | 'delayed';
  /** How often a consumer of this queue has got it. */
  readonly receiveCount: number;
  /** Number of times after which it moves to the dead-letter queue. */
  readonly maxReceives?: number;
  /** ISO 8601, as `visibleAt`. */
  readonly sentAt: string;
  /** When it can be received again; absent if it can be now. */
  readonly visibleAt?: string;
  readonly group?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** The body, parsed if it is JSON. */
  readonly body: unknown;
}

/** An object of a bucket: `GET /_console/data/buckets/<name>?keys=&after=`. */
export interface DataObject {
  readonly key: string;
  readonly bytes: number;
  readonly at: string;
  readonly contentType: string;
}

/** Content of an object: `GET /_console/data/buckets/<name>/object?key=`. */
export interface DataObjectContent extends DataObject {
  /** Its text, cut off after 64 KiB; absent if it is no text. */
  readonly text?: string;
  readonly isCutOff?: true;
}

/** A log line of a function: `GET /_console/data/logs/<name>?text=&after=`, the newest first. */
export interface DataLine {
  /** ISO 8601. */
  readonly at: string;
  readonly level: string;
  readonly text: string;
}
