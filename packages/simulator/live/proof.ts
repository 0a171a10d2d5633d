import { COUNT_NAMES, type Count, type Counted, type CountedList, type CountName, type Counts } from '@orderly/console';
import type { Happenings } from '../engine/happenings.js';
import { type AskOperator, ProofAudit } from './proof-audit.js';
import { type Deliveries, Tally } from './tally.js';

/** Items of a list at most. */
const LISTED = 100;

export interface ProofOptions {
  readonly happenings: Happenings;
  /** Asks the operator's API of the app; absent if it lends none. */
  readonly ask?: AskOperator | undefined;
  /** Why what only an audit knows is unknown, if it can't be asked. */
  readonly unknown: string;
  /** The clock of the environment, milliseconds since 1970. */
  readonly now: () => number;
}

/** Numbers that prove: what is counted while it happens, and what an audit says. No number is there that is not known. */
export class Proof {
  private readonly tally: Tally;
  private readonly audit: ProofAudit | undefined;

  constructor(private readonly options: ProofOptions) {
    const { happenings, ask, now } = options;
    this.tally = new Tally(happenings);
    if (!ask) return;
    const audit = new ProofAudit(ask, now);
    this.tally.onCommit((at) => audit.take(at));
    this.audit = audit;
  }

  counts(): Counts & { readonly deliveries: Deliveries } {
    this.audit?.look();
    const audited = this.audited();
    return {
      counts: Object.fromEntries(COUNT_NAMES.map((name) => [name, this.count(name)])) as Counts['counts'],
      deliveries: this.tally.deliveries,
      open: this.tally.open,
      unjudged: 'unknown' in audited ? 0 : audited.unjudged,
      ...('until' in audited && { checkedUntil: new Date(audited.until).toISOString() }),
    };
  }

  /** @returns undefined if there is no such number */
  list(name: string): CountedList | undefined {
    const known = COUNT_NAMES.find((one) => one === name);
    return known && { name: known, count: this.count(known), items: this.items(known) };
  }

  private count(name: CountName): Count {
    if (name !== 'lost' && name !== 'twice') return { value: this.tally.valueOf(name) };
    const audited = this.audited();
    return 'unknown' in audited ? audited : { value: audited[name].length };
  }

  private items(name: CountName): readonly Counted[] {
    if (name !== 'lost' && name !== 'twice') return this.tally.list(name);
    const audited = this.audited();
    return 'unknown' in audited ? [] : audited[name].slice(-LISTED).reverse();
  }

  private audited(): ReturnType<ProofAudit['result']> {
    return this.audit?.result() ?? { unknown: this.options.unknown };
  }
}
