import { type Difference, describeDifferences, differingNames, pairDifferences } from './describe-differences.js';
import { type EndState, nameSent, type TableState } from './end-state.js';

/** Values of one attribute in one table: `Orders: items.price`. */
type Place = string;

/** An item as it is compared. */
interface Compared {
  /** Its steady part, as JSON. */
  readonly text: string;
  /** When its table's time to live ends, milliseconds since the begin of its history. */
  readonly expiresAt: number;
}

/** Values that no program repeats: identifiers, times, long random texts. */
const PASSING =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z?\b|\b[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9a-f]{20,}\b/gi;

/**
 * Facts that don't change from one calm history to another, so that they can be compared. An attribute whose values differ between two of them is
 * random, or a time: it is left out. So is one that is there or not by chance, since a message overtook another. An attribute of a table's time to
 * live is a time always.
 */
export class Baseline {
  private readonly unsteady = new Set<Place>();

  /**
   * @param states ends of at least two histories without faults, of different seeds
   * @param late ends of histories in which work was only late. They may have more items, and never excuse a missing one or another key
   */
  constructor(
    private readonly states: readonly EndState[],
    private readonly late: readonly EndState[] = [],
  ) {
    this.leaveOutDifferent(states, () => true);
    this.leaveOutDifferent([...states, ...late], (place) => !this.isKey(place));
    for (const table of this.tables) {
      this.leaveOutChance(table);
      for (const one of late) this.leaveOutLate(table, one);
    }
  }

  /** Attributes that differ without any fault, as `<table>: <path>`. */
  get leftOut(): readonly string[] {
    return [...this.unsteady].sort();
  }

  /** Returns different values of an attribute, without faults and when work was only late. */
  valuesOf(place: string): readonly string[] {
    const values = this.all.flatMap(({ tables }) => readValues(tables).get(place)?.join(', ') ?? []);
    return [...new Set(values)].sort();
  }

  /** Returns the number of messages in a queue without faults: the largest, if it is chance. */
  messages(queue: string): number {
    return Math.max(...this.states.map(({ queues }) => queues[queue] ?? 0));
  }

  /** Whether a queue has more messages than without faults, or got more. */
  hasMore(queue: string, { queues, sent }: EndState): boolean {
    const got = nameSent(queue);
    const most = Math.max(...this.states.map((state) => state.sent[got] ?? 0));
    return (queues[queue] ?? 0) > this.messages(queue) || (sent[got] ?? 0) > most;
  }

  /** Says what was sent less often than without faults. More often is no loss. */
  unsent({ sent }: EndState): readonly string[] {
    const names = new Set(this.states.flatMap((state) => Object.keys(state.sent)));
    return [...names].flatMap((name) => {
      const { least } = usual(this.states.map((state) => state.sent[name] ?? 0));
      const now = sent[name] ?? 0;
      return now < least ? [`${name}: ${now}, without faults ${least}`] : [];
    });
  }

  /**
   * Says how the tables of a state differ from those without faults: a few words for each difference. An item whose time to live is over in
   * one of both is as good as deleted: AWS deletes it within days.
   */
  differences(state: EndState): readonly string[] {
    return this.tables.flatMap((table) =>
      describeDifferences(table, this.keyOf(table), this.differencesOf(table, state)),
    );
  }

  /** @param bounds states that bound the number of equal items */
  private differencesOf(table: string, state: EndState, bounds = this.all): readonly Difference[] {
    const horizon = Math.max(state.at, ...this.states.map(({ at }) => at));
    const stays = ({ expiresAt }: Compared): boolean => expiresAt > horizon;
    const now = this.compared(table, state);
    const calm = this.states.map((one) => this.compared(table, one));
    const all = bounds.map((one) => countEach(this.compared(table, one)));
    const staying = calm.map((items) => countEach(items.filter(stays)));
    const [found, foundStaying] = [countEach(now), countEach(now.filter(stays))];
    const texts = new Set([...calm.flat(), ...now].map(({ text }) => text));
    return [...texts].flatMap((text) => {
      const { least } = usual(staying.map((one) => one.get(text) ?? 0));
      const { most } = usual(all.map((one) => one.get(text) ?? 0));
      const lacks = Math.max(least - (found.get(text) ?? 0), 0);
      const has = Math.max((foundStaying.get(text) ?? 0) - most, 0);
      return [
        ...Array<Difference>(lacks).fill({ verb: 'lacks', text }),
        ...Array<Difference>(has).fill({ verb: 'has', text }),
      ];
    });
  }

  private get all(): readonly EndState[] {
    return [...this.states, ...this.late];
  }

  /** Leaves out attributes whose values differ between states. */
  private leaveOutDifferent(states: readonly EndState[], may: (place: Place) => boolean): void {
    const [first, ...others] = states.map(({ tables }) => readValues(tables));
    for (const other of others)
      for (const place of new Set([...(first?.keys() ?? []), ...other.keys()]))
        if (may(place) && first?.get(place)?.join() !== other.get(place)?.join()) this.unsteady.add(place);
  }

  private isKey(place: Place): boolean {
    return this.tables.some((table) => this.keyOf(table).some((name) => place === `${table}: ${name}`));
  }

  private get tables(): readonly string[] {
    return Object.keys(this.states[0]?.tables ?? {});
  }

  private keyOf(table: string): readonly string[] {
    return this.states[0]?.tables[table]?.key ?? [];
  }

  /**
   * Leaves out attributes that some items have and others don't, as long as the calm histories differ less without them: a message that was overtaken
   * was parked, and says when. What else differs is a number of items.
   */
  private leaveOutChance(table: string): void {
    const optional = findOptional(this.all.flatMap(({ tables }) => tables[table]?.items ?? []));
    for (let distance = this.distance(table); distance > 0; ) {
      const [best] = [...optional]
        .map((path) => `${table}: ${path}`)
        .filter((place) => !this.unsteady.has(place) && !this.isKey(place))
        .map((place) => ({ place, without: this.distance(table, place) }))
        .sort((one, other) => one.without - other.without);
      if (!best || best.without >= distance) return;
      this.unsteady.add(best.place);
      distance = best.without;
    }
  }

  /** Leaves out the attributes in which an item differs from its like when work was only late. */
  private leaveOutLate(table: string, late: EndState): void {
    const key = this.keyOf(table);
    const differences = this.differencesOf(table, late, this.states);
    for (const { calm, now } of pairDifferences(key, differences).pairs)
      for (const name of differingNames(calm, now)) if (!key.includes(name)) this.unsteady.add(`${table}: ${name}`);
  }

  /** Returns how many items of a table differ between the calm histories. @param without one more place that is left out */
  private distance(table: string, without?: Place): number {
    const counts = this.all.map((state) => countEach(this.compared(table, state, without)));
    return [...new Set(counts.flatMap((one) => [...one.keys()]))]
      .map((text) => counts.map((one) => one.get(text) ?? 0))
      .reduce((sum, numbers) => sum + Math.max(...numbers) - Math.min(...numbers), 0);
  }

  private compared(table: string, { tables, begins }: EndState, without?: Place): readonly Compared[] {
    const { items = [], ttl } = tables[table] ?? {};
    return items.map((item) => ({
      text: this.steadyPart(table, item, ttl, without),
      expiresAt: readExpiry(item, ttl) - begins,
    }));
  }

  private steadyPart(table: string, item: object, ttl: string | undefined, without: Place | undefined): string {
    const keep = (value: unknown, path: string): unknown => {
      const place = `${table}: ${path}`;
      if (path === ttl || place === without || this.unsteady.has(place)) return undefined;
      if (typeof value === 'string') return mask(value);
      if (value instanceof Set) return keep([...value], path);
      if (Array.isArray(value)) return value.map((one) => keep(one, path));
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value).map(([name, one]) => [
        name,
        keep(one, path === '' ? name : `${path}.${name}`),
      ]);
      return Object.fromEntries(members.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
    };
    return JSON.stringify(keep(item, ''));
  }
}

const mask = (text: string): string => text.replaceAll(PASSING, '*');

/** Amazon DynamoDB, "Using time to live (TTL)": seconds since 1970, as a number; anything else is no time. */
function readExpiry(item: object, ttl: string | undefined): number {
  const seconds = ttl === undefined ? undefined : (item as Readonly<Record<string, unknown>>)[ttl];
  return typeof seconds === 'number' ? seconds * 1_000 : Number.POSITIVE_INFINITY;
}

/** Calls a function with each value of an item, and its path. */
function visit(value: unknown, path: string, leaf: (path: string, value: unknown) => void): void {
  if (value instanceof Set || Array.isArray(value)) for (const one of value) visit(one, path, leaf);
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) visit(one, path === '' ? name : `${path}.${name}`, leaf);
  else leaf(path, value);
}

/** Returns the different values of each attribute, in an order of their own. How often each comes is a matter of items. */
function readValues(tables: EndState['tables']): ReadonlyMap<Place, readonly string[]> {
  const values = new Map<Place, Set<string>>();
  for (const [table, { items, ttl }] of Object.entries<TableState>(tables))
    for (const item of items)
      visit(item, '', (path, value) => {
        if (path === ttl) return;
        const place = `${table}: ${path}`;
        values.set(
          place,
          (values.get(place) ?? new Set()).add(typeof value === 'string' ? mask(value) : String(value)),
        );
      });
  return new Map([...values].map(([place, all]) => [place, [...all].sort()]));
}

/** Returns the paths that some items have and others don't. */
function findOptional(items: readonly object[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const paths = new Set<string>();
    visit(item, '', (path) => paths.add(path));
    for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].flatMap(([path, count]) => (count < items.length ? [path] : []));
}

/** Returns how often each text is in a list. */
function countEach(items: readonly Compared[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of items) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Returns the bounds of a number without faults. One that differs between calm histories is chance: only that something is there at all counts. */
function usual(numbers: readonly number[]): { readonly least: number; readonly most: number } {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? { least, most } : { least: Math.min(least, 1), most: Number.POSITIVE_INFINITY };
}
