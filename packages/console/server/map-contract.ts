/** Kinds of what a map shows. A `provider` is a host outside of AWS. */
export type NodeKind = 'route' | 'schedule' | 'function' | 'table' | 'queue' | 'bucket' | 'bus' | 'topic' | 'provider';

/** One resource of the app. */
export interface MapNode {
  /** `<kind>:<label>` */
  readonly id: string;
  readonly kind: NodeKind;
  /** Its name within its service, for people: `OnSaga`, `POST /orders`. */
  readonly name: string;
  /** Path of its construct, as the stream names it: `Orders/OnSaga`. */
  readonly label: string;
  /** Id of the service that it belongs to; absent for what is outside of all. */
  readonly service?: string;
  /** Name of the table, queue, bucket or function, as the resource browser knows it. */
  readonly resource?: string;
  /** Whether it is a queue for what couldn't be delivered or processed: what is in it is an error. */
  readonly isDeadLetter?: true;
}

/** What goes along an edge. `fails` is what was given up, on its way to a dead-letter queue or a bucket. */
export type EdgeKind =
  | 'calls'
  | 'publishes'
  | 'delivers'
  | 'consumes'
  | 'streams'
  | 'sends'
  | 'reads'
  | 'writes'
  | 'fails';

/** A rule of a bus, along an edge to its target. */
export interface MapRule {
  /** Path of its construct. */
  readonly label: string;
  /** Sources that its pattern names literally; empty if it names them in another way. */
  readonly sources: readonly string[];
  /** Types (`detail-type`) that its pattern names literally. */
  readonly types: readonly string[];
}

export interface MapEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** Rules that deliver along this edge. */
  readonly rules?: readonly MapRule[];
  /** Of one that publishes: sources that it may name. Absent if it may name any. */
  readonly sources?: readonly string[];
}

/** A stack of the app. */
export interface MapService {
  /** Name of the stack. */
  readonly id: string;
  /** First part of its constructs' paths. */
  readonly name: string;
}

/** Answer to `GET /_console/map`. */
export interface SystemMap {
  readonly services: readonly MapService[];
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
}

/** Numbers of one node. */
export interface NodeCounts {
  /** Messages that wait. */
  readonly pending: number;
  /** Messages with a consumer, invocations that run, or requests to a route that wait for their answer. */
  readonly inFlight: number;
  /** Messages in a dead-letter queue, or invocations that failed, or answers of a route with a status of 500 or more, in the last five minutes. */
  readonly errors: number;
}

/** Answer to `GET /_console/map/counts`. */
export interface MapCounts {
  /** By the nodes' ids; nodes whose numbers are all 0 are left out. */
  readonly counts: Readonly<Record<string, NodeCounts>>;
}
