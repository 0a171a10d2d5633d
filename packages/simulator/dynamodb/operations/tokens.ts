/** Request tokens of committed transactions. AWS, "Amazon DynamoDB Transactions: How it works" (idempotency). */

const VALID_MS = 10 * 60 * 1000;

export class Tokens {
  /** Ordered by time. */
  private readonly kept = new Map<string, { readonly body: unknown; readonly until: number }>();

  constructor(private readonly now: () => number) {}

  /**
   * Checks whether a transaction with this token has committed within 10 minutes, with the same body or with another
   * one.
   */
  find(token: string, body: unknown): 'same' | 'other' | undefined {
    this.forgetOld();
    const found = this.kept.get(token);
    return found && (canonical(found.body) === canonical(body) ? 'same' : 'other');
  }

  keep(token: string, body: unknown): void {
    this.kept.set(token, { body, until: this.now() + VALID_MS });
  }

  private forgetOld(): void {
    const now = this.now();
    for (const [token, { until }] of this.kept) {
      if (until > now) return;
      this.kept.delete(token);
    }
  }
}

/** JSON with its members in a canonical order. */
const canonical = (body: unknown): string =>
  JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
