/** Names that only traces need. Bundles without them have none: names in one object with others would be in every bundle. */

/** Names of environment variables, as {@link Env} declares those of everything else. */
export const TracesEnv = {
  /** Share of the traces that begin here and are written, above 0 and at most 1. Absent for all of them. */
  SHARE: 'TRACES_SHARE',
  /** Exporter: base address of an OTLP receiver. Absent for X-Ray. */
  ENDPOINT: 'TRACES_ENDPOINT',
} as const;

/** Spans that a receiver has taken, and those that it has refused for good. */
export const TracesMetric = { SPANS_EXPORTED: 'SpansExported', SPANS_LOST: 'SpansLost' } as const;

/** Value of the member `kind` of a line, by which a subscription finds spans among other lines. */
export const SPAN = 'span';
