/** Something that an app offers on the page's view of histories. */
export interface Offered {
  /** Identifies it in requests. */
  readonly id: string;
  readonly label: string;
  /** One sentence that says what it does. */
  readonly about: string;
}

/** A guard of the app's code, which a switch removes. */
export interface OfferedGuard {
  readonly id: string;
  /** Name of the guard: `Conditional put of the processed record`. */
  readonly label: string;
  /** Path of the source file, from the root of the app, and the line of the guard in it. */
  readonly file: string;
  readonly line: number;
  /** The promise that it holds, as one sentence. */
  readonly promise: string;
}

/** Answer to `GET /_console/histories`: what the app offers to play. */
export interface HistoriesOffer {
  readonly scenarios: readonly Offered[];
  readonly guards: readonly OfferedGuard[];
  readonly comparisons: readonly Offered[];
  /** One sentence that says where the recorded proof is. @default the app has none */
  readonly recorded?: string;
  /** One sentence that says what to do, where the app offers nothing. */
  readonly nothing?: string;
}

/** Chooses histories: a scenario, with all guards or without one. */
export interface HistoriesChoice {
  readonly scenario: string;
  readonly guard?: string;
}

/** A single fault of a scenario: one history, and one cell of the wall. */
export interface Cell {
  /** Construct to which the fault happens: `Payments/OnProvider`. */
  readonly owner: string;
  /** Point of the history at which it happens: `Payments/OnProvider call 3`. */
  readonly point: string;
  readonly kind: string;
}

/**
 * One line of the answer to `POST /_console/histories/play`, which gets a `HistoriesChoice`. The search ends when the connection does.
 */
export type SearchLine =
  /** The app is deployed for histories, which takes seconds. */
  | { readonly kind: 'preparing' }
  /** Every cell of the wall, in its order. The history without a fault has been played. */
  | { readonly kind: 'cells'; readonly cells: readonly Cell[] }
  /** `at`: index of the cell. `broken`: promises that its history broke; none if all were kept. */
  | { readonly kind: 'played'; readonly at: number; readonly broken: readonly string[] }
  /** The history without a fault breaks a promise, so no other one is played. */
  | { readonly kind: 'calm broken'; readonly broken: readonly string[] }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly message: string };

/** What `POST /_console/histories/open` gets: a history. Without a cell it is the one without a fault. */
export interface OpenRequest extends HistoriesChoice {
  readonly cell?: Pick<Cell, 'point' | 'kind'>;
}

/** Something that happened in a history, or in a local cloud: `GET /_local/events` tells the same of that. */
export interface HistoryHappening {
  /** Ascends by one. */
  readonly number: number;
  /** Milliseconds since 1970, by the history's clock. */
  readonly at: number;
  readonly kind: 'call' | 'invocation' | 'message' | 'delivery' | 'record' | 'fault' | 'timer' | 'time';
  /** Path of the construct to which it happened. */
  readonly owner: string;
  readonly id: string;
  readonly outcome?: string;
  readonly fault?: string;
  readonly ms?: number;
  readonly receiveCount?: number;
  readonly messageId?: string;
  readonly invocation?: string;
  readonly target?: string;
  readonly eventId?: string;
  readonly source?: string;
  readonly type?: string;
  readonly subject?: string;
  readonly version?: number;
  readonly correlationId?: string;
  readonly error?: string;
  readonly records?: number;
}

/** Answer to `POST /_console/histories/open`: one history. If it broke a promise, it has only the faults that are needed for that. */
export interface OpenedHistory {
  readonly faults: readonly Pick<Cell, 'point' | 'kind'>[];
  readonly violations: readonly { readonly invariant: string; readonly detail: string; readonly about?: string }[];
  readonly happenings: readonly HistoryHappening[];
  /** Command that plays it again in a terminal. @default the app names none */
  readonly replay?: string;
}

/** What one consumer did with the same messages as another one. */
export interface ComparedConsumer {
  readonly label: string;
  readonly about: string;
  /** Path of its function's construct. */
  readonly owner: string;
  readonly happenings: readonly HistoryHappening[];
  /** What came of it: `charged 5 times, EUR 50.00`. */
  readonly effect: string;
  /** Whether that is what one message should do. */
  readonly isRight: boolean;
}

/** Answer to `POST /_console/histories/compare`, which gets `{ comparison }`. */
export interface Compared {
  readonly consumers: readonly ComparedConsumer[];
}
