import type { Cloud } from '../cloud/cloud.js';

/** What an account has when everything has come to rest: items by table, numbers of messages by queue, and what was sent until then. */
export interface EndState {
  readonly tables: Readonly<Record<string, readonly object[]>>;
  readonly queues: Readonly<Record<string, number>>;
  /** Number of events that a bus has taken, by their type, of messages that a queue has taken, and of records that a stream has taken. */
  readonly sent: Readonly<Record<string, number>>;
}

/** Values of one attribute in one table: `Orders: items.price`. */
type Place = string;

/** Values that no program repeats: identifiers, times, long random texts. */
const PASSING =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z?\b|\b[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9a-f]{20,}\b/gi;

/** Reads the state of an account. */
export function readEndState(cloud: Cloud): EndState {
  const { assembly } = cloud.deployment;
  const tables = [
    ...assembly.findByType('AWS::DynamoDB::GlobalTable'),
    ...assembly.findByType('AWS::DynamoDB::Table'),
  ].map(({ label }) => [label, cloud.listItems(label)] as const);
  const queues = [...cloud.queues.values()].map((queue) => [queue.label, queue.save().messages.length] as const);
  return { tables: Object.fromEntries(tables), queues: Object.fromEntries(queues), sent: countSent(cloud) };
}

function countSent({ events, queues, kinesis }: Cloud): Record<string, number> {
  const sent: Record<string, number> = {};
  for (const { bus, event } of events.accepted) {
    const name = `event ${event.source} ${event['detail-type']} on ${bus}`;
    sent[name] = (sent[name] ?? 0) + 1;
  }
  for (const { label, traffic } of queues.values()) sent[`messages of ${label}`] = traffic.sent;
  for (const { label, taken } of kinesis.list()) sent[`records of ${label}`] = taken;
  return sent;
}

/** Returns the labels of queues that get what others have given up on. */
export function findDeadLetterQueues(cloud: Cloud): ReadonlySet<string> {
  const named = new Set(
    cloud.deployment.assembly.resources.flatMap(({ properties }) =>
      [
        ...JSON.stringify(properties).matchAll(
          /"(?:deadLetterTargetArn|DeadLetterConfig|OnFailure|TargetArn|Destination)":(?:\{"(?:Arn|TargetArn|Destination)":)?"([^"]+)"/g,
        ),
      ].map(([, arn = '']) => arn),
    ),
  );
  return new Set([...cloud.queues].flatMap(([arn, { label }]) => (named.has(arn) ? [label] : [])));
}

/**
 * What doesn't change from one calm history to another, so that it can be compared. An attribute whose values differ between two of them is
 * random, or a time: it is left out.
 */
export class Baseline {
  private readonly unsteady = new Set<Place>();

  /** @param states ends of at least two histories without faults, of different seeds */
  constructor(private readonly states: readonly EndState[]) {
    const [first, ...others] = states.map(({ tables }) => readValues(tables));
    for (const other of others)
      for (const place of new Set([...(first?.keys() ?? []), ...other.keys()]))
        if (first?.get(place)?.join() !== other.get(place)?.join()) this.unsteady.add(place);
  }

  /** Attributes that differ without any fault, as `<table>: <path>`. */
  get leftOut(): readonly string[] {
    return [...this.unsteady].sort();
  }

  /** Returns the number of messages in a queue without faults: the largest, if it is chance. */
  messages(queue: string): number {
    return Math.max(...this.states.map(({ queues }) => queues[queue] ?? 0));
  }

  /** Whether a state is as one without faults. */
  holds(state: EndState): boolean {
    const isEmptied = Object.entries(state.queues).every(([queue, messages]) => messages <= this.messages(queue));
    return isEmptied && this.unsent(state).length === 0 && this.differences(state).length === 0;
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

  /** Says how the tables of a state differ from those without faults: a few words for each difference. */
  differences({ tables }: EndState): readonly string[] {
    return Object.keys(this.states[0]?.tables ?? {}).flatMap((table) => {
      const read = (all: EndState['tables']) => (all[table] ?? []).map((item) => this.steadyPart(table, item));
      const now = read(tables);
      const calm = this.states.map((state) => countEach(read(state.tables)));
      const found = countEach(now);
      const items = [...new Set([...calm.flatMap((one) => [...one.keys()]), ...now])];
      const difference = (item: string): number => {
        const { least, most } = usual(calm.map((one) => one.get(item) ?? 0));
        const times = found.get(item) ?? 0;
        return Math.max(times - most, 0) - Math.max(least - times, 0);
      };
      const say = (verb: string, sign: 1 | -1) =>
        items.flatMap((item) => Array(Math.max(sign * difference(item), 0)).fill(`${table} ${verb} ${item}`));
      return [...say('lacks', -1), ...say('has', 1)];
    });
  }

  private steadyPart(table: string, item: object): string {
    const keep = (value: unknown, path: string): unknown => {
      if (this.unsteady.has(`${table}: ${path}`)) return undefined;
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

/** Returns the different values of each attribute, in an order of their own. How often each comes is a matter of items. */
function readValues(tables: EndState['tables']): ReadonlyMap<Place, readonly string[]> {
  const values = new Map<Place, Set<string>>();
  const read = (table: string, path: string, value: unknown): void => {
    if (value instanceof Set || Array.isArray(value)) for (const one of value) read(table, path, one);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) read(table, path === '' ? name : `${path}.${name}`, one);
    else {
      const place = `${table}: ${path}`;
      values.set(place, (values.get(place) ?? new Set()).add(typeof value === 'string' ? mask(value) : String(value)));
    }
  };
  for (const [table, items] of Object.entries(tables)) for (const item of items) read(table, '', item);
  return new Map([...values].map(([place, all]) => [place, [...all].sort()]));
}

/** Returns how often each text is in a list. */
function countEach(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Returns the bounds of a number without faults. One that differs between calm histories is chance: only that something is there at all counts. */
function usual(numbers: readonly number[]): { readonly least: number; readonly most: number } {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? { least, most } : { least: Math.min(least, 1), most: Number.POSITIVE_INFINITY };
}
