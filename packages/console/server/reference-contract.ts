/** An operation that the deployed API has. */
export interface DeployedRoute {
  /** Number of the API among those of the app. */
  readonly api: number;
  /** First part of its address. */
  readonly stage: string;
  readonly method: string;
  /** `/orders/{orderId}` */
  readonly path: string;
  /** Path of the function that answers; absent if the gateway answers itself. */
  readonly function?: string;
}

/** An event that a rule waits for, or that a bus has taken. */
export interface DeployedEvent {
  readonly source: string;
  readonly type: string;
}

/** Somebody in whose name the page may send requests. */
export interface Caller {
  readonly id: string;
  /** `alice, a customer` */
  readonly label: string;
}

/** Answer to `GET /_console/reference`. */
export interface Reference {
  readonly routes: readonly DeployedRoute[];
  readonly events: readonly DeployedEvent[];
  readonly callers: readonly Caller[];
}

/** Answer to `GET /_console/reference/event?source=&type=`. */
export interface EventFacts {
  /** Paths of the functions that may publish it. */
  readonly producers: readonly string[];
  readonly consumers: readonly {
    readonly rule: string;
    /** Path of the queue or function that the rule delivers to. */
    readonly target: string;
    /** Path of the function that gets it in the end, if it isn't the target. */
    readonly function?: string;
  }[];
  /** The newest one of the events that are remembered; absent if there is none. */
  readonly last?: { readonly at: string; readonly event: unknown };
}

/** Body of `POST /_console/send`. */
export interface SendRequest {
  readonly api: number;
  readonly method: string;
  /** With parameters filled in, and the query: `/orders?limit=10`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Id of a caller whose token is sent along. @default none is */
  readonly as?: string;
}

/** Answer to `POST /_console/send`. */
export interface SendAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds that it took. */
  readonly ms: number;
}
