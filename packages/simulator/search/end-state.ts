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

  /** Returns the number of messages in a queue without faults. */
  messages(queue: string): number {
    return this.states[0]?.queues[queue] ?? 0;
  }

  /** Says what was sent less often than in every history without faults. More often is no loss. */
  unsent({ sent }: EndState): readonly string[] {
    const names = Object.keys(this.states[0]?.sent ?? {});
    return names.flatMap((name) => {
      const least = Math.min(...this.states.map((state) => state.sent[name] ?? 0));
      const now = sent[name] ?? 0;
      return now < least ? [`${name}: ${now}, without faults ${least}`] : [];
    });
  }

  /** Says how the tables of a state differ from those without faults: a few words for each difference. */
  differences({ tables }: EndState): readonly string[] {
    const calm = this.states[0]?.tables ?? {};
    return Object.keys(calm).flatMap((table) => {
      const [before, now] = [calm, tables].map((all) => (all[table] ?? []).map((item) => this.steadyPart(table, item)));
      const missing = subtract(before ?? [], now ?? []);
      const added = subtract(now ?? [], before ?? []);
      return [...missing.map((item) => `${table} lacks ${item}`), ...added.map((item) => `${table} has ${item}`)];
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

/** Returns the values of each attribute, in an order of their own. */
function readValues(tables: EndState['tables']): ReadonlyMap<Place, readonly string[]> {
  const values = new Map<Place, string[]>();
  const read = (table: string, path: string, value: unknown): void => {
    if (value instanceof Set || Array.isArray(value)) for (const one of value) read(table, path, one);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) read(table, path === '' ? name : `${path}.${name}`, one);
    else {
      const place = `${table}: ${path}`;
      values.set(place, [...(values.get(place) ?? []), typeof value === 'string' ? mask(value) : String(value)]);
    }
  };
  for (const [table, items] of Object.entries(tables)) for (const item of items) read(table, '', item);
  for (const all of values.values()) all.sort();
  return values;
}

/** Returns what is in one list more often than in another. */
function subtract(one: readonly string[], other: readonly string[]): readonly string[] {
  const left = [...other];
  return one.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
