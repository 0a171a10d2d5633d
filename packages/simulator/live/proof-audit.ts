import type { Count, Counted } from '@orderly/console';

/** Asks the operator's API of the app. @param path below the stage @returns the answer's body @throws {Error} */
export type AskOperator = (path: string) => Promise<unknown>;

/** Facts of the answer of `GET /operations/audit` that are counted. */
interface Audited {
  readonly audit: {
    readonly deliveries: Readonly<Record<string, number>>;
    readonly missing: readonly {
      readonly at: string;
      readonly consumer: string;
      readonly messageId: string;
      readonly type: string;
      readonly subject: string;
    }[];
    readonly twice?: {
      readonly left: number;
      readonly found: readonly { readonly id: string; readonly effects: readonly { readonly subject: string }[] }[];
    };
  };
}

/** Result of the audit of one span. */
interface Judged {
  readonly lost: readonly Counted[];
  readonly twice: readonly Counted[];
  /** Deliveries that nobody can judge yet, and orders (or whatever the app checks) that the answer had no time for. */
  readonly unjudged: number;
}

/** Milliseconds of a span: an audit of a longer one may not end in time for an answer. */
const SPAN = 300_000;
/** Real milliseconds between two rounds: an audit takes a second or two of the machine's time. */
const APART = 15_000;
/** Messages that are younger are too new to tell. */
const GRACE = '30s';

/**
 * Audits what was committed, span by span, while somebody looks: what was lost, and what was done twice. Spans without a commit
 * are left out, so that 36 days that pass at once cost nothing. A span with deliveries that nobody can judge yet is audited again.
 */
export class ProofAudit {
  private readonly judged = new Map<number, Judged>();
  /** Beginnings of spans that are to be audited. */
  private readonly due = new Set<number>();
  private error: string | undefined;
  private checkedUntil: number | undefined;
  private running: Promise<void> | undefined;
  private lastRound = Number.NEGATIVE_INFINITY;

  /** @param now the clock of the environment, milliseconds since 1970 */
  constructor(
    private readonly ask: AskOperator,
    private readonly now: () => number,
  ) {}

  /** Takes the time of a commit; without one everything begins again. */
  take(at: number | undefined): void {
    if (at !== undefined) {
      this.due.add(Math.floor(at / SPAN) * SPAN);
      return;
    }
    this.judged.clear();
    this.due.clear();
    this.checkedUntil = undefined;
  }

  /** Begins a round if one is due. Whoever shows the result calls it, so nothing is audited while nobody looks. */
  look(): void {
    if (this.running || performance.now() - this.lastRound < APART) return;
    this.running = this.round().finally(() => {
      this.running = undefined;
      this.lastRound = performance.now();
    });
  }

  /** Returns the results so far, or why there are none. */
  result():
    | Extract<Count, { readonly unknown: string }>
    | {
        readonly lost: readonly Counted[];
        readonly twice: readonly Counted[];
        readonly unjudged: number;
        readonly until: number;
      } {
    if (this.error !== undefined) return { unknown: this.error };
    if (this.checkedUntil === undefined) return { unknown: 'The first check is under way.', isUnderWay: true };
    const all = [...this.judged.values()];
    return {
      lost: all.flatMap(({ lost }) => lost),
      twice: all.flatMap(({ twice }) => twice),
      unjudged: all.reduce((sum, { unjudged }) => sum + unjudged, 0),
      until: this.checkedUntil,
    };
  }

  private async round(): Promise<void> {
    const now = this.now();
    try {
      // The oldest first; what is committed meanwhile is due in the next round.
      for (const from of [...this.due].sort((one, other) => one - other)) {
        const judged = await this.audit(from, Math.min(from + SPAN, now));
        this.judged.set(from, judged);
        if (judged.unjudged === 0 && from + SPAN <= now) this.due.delete(from);
      }
      this.checkedUntil = now;
      this.error = undefined;
    } catch (error) {
      this.error = `The delivery audit did not answer: ${(error as Error).message}`;
    }
  }

  private async audit(from: number, to: number): Promise<Judged> {
    const span = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    const { audit } = (await this.ask(`/operations/audit?${span}&grace=${GRACE}`)) as Audited;
    const { pending = 0, 'too new': tooNew = 0 } = audit.deliveries;
    const { left = 0, found = [] } = audit.twice ?? {};
    return {
      lost: audit.missing.map(({ at, consumer, type, subject, messageId }) => ({
        at,
        owner: consumer,
        outcome: 'lost',
        type,
        subject,
        id: messageId,
      })),
      twice: found.map(({ id, effects }) => ({
        at: new Date(from).toISOString(),
        owner: effects.map(({ subject }) => subject).join(', '),
        outcome: 'done twice',
        id,
      })),
      unjudged: pending + tooNew + left,
    };
  }
}
