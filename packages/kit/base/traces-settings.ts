/** Where traces are exported to, and how many. */
export type TracesSettings = {
  /**
   * Share of the traces that begin at the API and are written, above 0 and at most 1. A caller who sends a `traceparent` decides for
   * its own trace (its flag `sampled`).
   * @default 1
   */
  readonly share?: number;
} & (
  | {
      /** The OTLP endpoint of AWS X-Ray in the Region. It needs CloudWatch's Transaction Search, an account's setting. */
      readonly exporter: 'x-ray';
    }
  | {
      /** A receiver of OTLP over HTTP, as a collector has it. It gets no credentials. */
      readonly exporter: 'otlp';
      /** Base address, as OpenTelemetry's `OTEL_EXPORTER_OTLP_ENDPOINT`: `https://collector.example.org:4318`. */
      readonly endpoint: string;
    }
);
