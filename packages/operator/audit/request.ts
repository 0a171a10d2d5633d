/** Request of an operator. */
export interface AuditRequest {
  /** Seconds back from now, or a time in ISO 8601; absent for one aggregate. */
  readonly from: string | number | undefined;
  /** @default now */
  readonly to: string | undefined;
  /** Only this aggregate: `Order/3f…`. */
  readonly subject: string | undefined;
  /** Aggregates that are audited together with it. @default none */
  readonly parts?: readonly string[];
  /** Option that named the aggregate, and its value. @default `--subject` */
  readonly named?: readonly [option: string, id: string];
  /** Only this consumer. */
  readonly consumer: string | undefined;
  readonly graceSeconds: number;
  /** Whether missing deliveries are sent again, each to its consumer's queue only. */
  readonly resend: boolean;
  /** Messages that are sent again in a second. */
  readonly rate: number;
}
