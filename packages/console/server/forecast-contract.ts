/**
 * Kinds of what happens by itself as time passes: a timer of the app, a schedule that ticks, a message that becomes visible in its
 * queue, a delivery or an invocation that is tried again, an item that TTL deletes, a message whose retention ends.
 */
export const FORECAST_KINDS = ['timer', 'schedule', 'visible', 'retry', 'expiry', 'retention'] as const;
export type ForecastKind = (typeof FORECAST_KINDS)[number];

/** Spans that a forecast counts for, in milliseconds, ascending: a minute, an hour, a day and 36 days. */
export const FORECAST_SPANS = [60_000, 3_600_000, 86_400_000, 36 * 86_400_000] as const;

/** One thing that will happen, or several of one kind at one place: `at` is the time of the first. */
export interface Foreseen {
  readonly kind: ForecastKind;
  /** Path of the construct, or name of the table or the consumer. */
  readonly owner: string;
  /** Milliseconds since 1970, by the environment's clock. */
  readonly at: number;
  /** Number within the longest span. */
  readonly count: number;
}

/** Answer to `GET /_console/forecast`: what is planned now. What follows from it is not foreseen. */
export interface Forecast {
  /** Milliseconds since 1970, by the environment's clock. */
  readonly now: number;
  /** How many of each kind happen within each span of {@link FORECAST_SPANS}. Kinds without any are left out. */
  readonly counts: Readonly<Partial<Record<ForecastKind, readonly number[]>>>;
  /** The soonest, one for each kind and place. */
  readonly next: readonly Foreseen[];
}
