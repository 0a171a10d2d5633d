/** Request tokens of committed transactions. AWS, "Amazon DynamoDB Transactions: How it works" (idempotency). */
import { createHash } from 'node:crypto';

const VALID_MS = 10 * 60 * 1000;

export class Tokens {
  /** Ordered by time. A body is kept as its fingerprint: whole ones of ten minutes would be as large as the tables. */
  private readonly kept = new Map<string, { readonly body: string; readonly until: number }>();

  constructor(private readonly now: () => number) {}

  /**
   * Checks whether a transaction with this token has committed within 10 minutes, with the same body or with another
   * one.
   */
  find(token: string, body: unknown): 'same' | 'other' | undefined {
    this.forgetOld();
    const found = this.kept.get(token);
    return found && (found.body === fingerprint(body) ? 'same' : 'other');
  }

  keep(token: string, body: unknown): void {
    this.kept.set(token, { body: fingerprint(body), until: this.now() + VALID_MS });
  }

  private forgetOld(): void {
    const now = this.now();
    for (const [token, { until }] of this.kept) {
      if (until > now) return;
      this.kept.delete(token);
    }
  }
}

const fingerprint = (body: unknown): string => createHash('sha256').update(canonical(body)).digest('base64');

/** Returns a text that is the same for equal JSON, whatever the order of its members, and for no other. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `${value.length}'${value}`;
  if (typeof value !== 'object' || value === null) return `${String(value)};`;
  if (Array.isArray(value)) return `[${value.map(canonical).join('')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '{';
  for (const name of Object.keys(members).sort()) text += canonical(name) + canonical(members[name]);
  return `${text}}`;
}
