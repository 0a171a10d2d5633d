import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import type { Evolution } from '../../packages/kit/decider/decider.js';
import { readEvent, type ServiceContract } from '../../packages/kit/messages/contract.js';
import { asJson } from '../../tools/docs/layout.js';
import { findExample } from '../../tools/docs/message-examples.js';
import { contracts } from '../../tools/release/contracts.js';
import { describeShape } from './json-shape.js';

/** Approved shapes of folded states, each beside the number of its schema. */
export const APPROVED_STATES = new URL('../golden/states.json', import.meta.url);

const SERVICES = new URL('../../lambdas/', import.meta.url);
const HISTORIES = new URL('../golden/histories/', import.meta.url);

/** Shape of a state: the types of its fields, by their paths; one for each status. */
export interface StateShape {
  readonly stateSchema: number;
  readonly shapes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type Rules = Evolution<unknown, never>;

/**
 * Aggregates that are folded: by the name of its evolution, the aggregate of its events and the contract that they are of; and the part of
 * the state that is stored under the number, if that is not all.
 */
const FOLDED: Readonly<Record<string, readonly [contract: string, aggregate: string, stored?: string]>> = {
  accountDecider: ['accounts', 'Account'],
  authorizationDecider: ['accounts', 'Account', 'authorization'],
  basketDecider: ['baskets', 'Basket'],
  checkoutDecider: ['baskets', 'Checkout'],
  createOrderSagas: ['orders-saga', 'CreateOrderSaga'],
  orderDecider: ['orders', 'Order'],
  payerDecider: ['payments', 'Payer'],
  paymentDecider: ['payments', 'Payment'],
  priceCheckDecider: ['catalog', 'PriceCheck'],
  productDecider: ['catalog', 'Product'],
  reservationDecider: ['inventory', 'Reservation'],
  userDecider: ['users', 'User'],
  webhookDecider: ['webhooks', 'Webhook'],
};

const isRules = (value: unknown): value is Rules =>
  typeof value === 'object' && value !== null && 'evolve' in value && 'stateSchema' in value;

/** Returns all evolutions that the services declare, by their names. */
async function declaredRules(): Promise<ReadonlyMap<string, Rules>> {
  const files = readdirSync(SERVICES, { recursive: true, encoding: 'utf8' });
  const modules = files
    .filter((file) => /(domain\/[\w-]+|saga-aggregate)\.ts$/.test(file.replaceAll('\\', '/')))
    .map((file): Promise<Readonly<Record<string, unknown>>> => import(new URL(file, SERVICES).href));
  return new Map(
    (await Promise.all(modules)).flatMap(Object.entries<unknown>).flatMap(([name, value]): [string, Rules][] => {
      if (isRules(value)) return [[name, value]];
      const { decider } = (value ?? {}) as { readonly decider?: unknown };
      return isRules(decider) ? [[name, decider]] : [];
    }),
  );
}

interface History {
  readonly aggregate: string;
  readonly commits: readonly { readonly events: readonly StoredEvent[] }[];
}
interface StoredEvent {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
}

/** Ids that are names of fields, for example of refunds. */
const ID = /^(?![a-z][A-Za-z]*$)/;

/** Returns the state with `*` in the place of ids. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [ID.test(name) ? '*' : name, withoutIds(one)] as const),
  );
}

/** Returns the fields of states as text: `{ 'lines[].sku': 'string' }`. */
function describeFields(states: readonly unknown[]): Readonly<Record<string, string>> {
  const fields = [...describeShape(states)].map(
    ([path, { types, isOptional }]) => [path + (isOptional ? '?' : ''), [...types].toSorted().join('|')] as const,
  );
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A state has no more than some dozens of shapes, and each event is applied to each of them. */
const MOST_SHAPES = 500;

/**
 * Folds events in every order that leads to another shape, as far as the folds of the golden histories and of the documents'
 * examples go.
 */
function foldStates(
  { initialState, evolve }: Rules,
  events: readonly unknown[],
  histories: readonly (readonly unknown[])[],
) {
  const apply = (state: unknown, event: unknown): unknown =>
    withoutIds(JSON.parse(JSON.stringify(evolve(state, event as never) ?? null)));
  const found = new Map<string, unknown>();
  const waiting = [withoutIds(initialState ?? null)];
  for (const history of histories) {
    let state = initialState;
    for (const event of history) {
      state = evolve(state, event as never);
      waiting.push(withoutIds(JSON.parse(JSON.stringify(state ?? null))));
    }
  }
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    const shape = JSON.stringify([readStatus(state), describeFields([state])]);
    if (found.has(shape)) continue;
    found.set(shape, state);
    if (found.size > MOST_SHAPES) throw new Error('a state has a new shape after each event: does it grow in names?');
    for (const event of events) waiting.push(apply(state ?? initialState, event));
  }
  return [...found.values()];
}

const readStatus = (state: unknown): string => {
  const { status } = (state ?? {}) as { readonly status?: unknown };
  return typeof status === 'string' ? status : 'state';
};

/** States that an evolution folds, with the events that it was given. */
interface Fold {
  readonly name: string;
  readonly aggregate: string;
  readonly rules: Rules;
  readonly states: readonly unknown[];
  readonly events: readonly unknown[];
  /** Part of the state that is stored under the number, if that is not all. */
  readonly stored: string | undefined;
}

/** Folds all events of each aggregate that services declare. */
async function foldAll(): Promise<readonly Fold[]> {
  const [rules, all] = await Promise.all([declaredRules(), contracts()]);
  const unknown = [...rules.keys()].filter((name) => !Object.hasOwn(FOLDED, name));
  if (unknown.length > 0) throw new Error(`test/support/folded-states.ts: name the aggregate of ${unknown.join(', ')}`);
  const histories = readdirSync(HISTORIES).map(
    (file) => JSON.parse(readFileSync(new URL(file, HISTORIES), 'utf8')) as History,
  );
  return Object.entries(FOLDED).map(([name, [contractName, aggregate, stored]]) => {
    const folded = rules.get(name);
    const contract = all.get(contractName);
    if (!folded || !contract) throw new Error(`test/support/folded-states.ts: there is no ${name} any more`);
    const ofAggregate = histories.filter((history) => history.aggregate === aggregate);
    const recorded = ofAggregate.map(({ commits }) =>
      commits.flatMap(({ events }) =>
        events.map(({ type, schemaVersion, data }) => readEvent(contract, type, schemaVersion, JSON.parse(data))),
      ),
    );
    const events = [...collectExamples(contractName, contract, aggregate), ...recorded.flat()];
    return { name, aggregate, rules: folded, states: foldStates(folded, events, recorded), events, stored };
  });
}

/** Returns the shapes of all states that services fold from events, by the names of their evolutions. */
export async function foldedStates(): Promise<Readonly<Record<string, StateShape>>> {
  const shapes = (await foldAll()).map(({ name, rules, states: all, stored }) => {
    const states = all.map((state) =>
      stored === undefined ? state : (state as Readonly<Record<string, unknown>>)[stored],
    );
    const statuses = [...new Set(states.map(readStatus))].toSorted();
    const byStatus = statuses.map(
      (status) => [status, describeFields(states.filter((state) => readStatus(state) === status))] as const,
    );
    return [name, { stateSchema: rules.stateSchema, shapes: Object.fromEntries(byStatus) }] as const;
  });
  return Object.fromEntries(shapes);
}

/**
 * Returns the fields of events that no evolution of their aggregate reads in any state: `Order OrderPlaced.placedBy`. Ids and
 * answers to sagas are for consumers.
 */
export async function unfoldedFields(): Promise<readonly string[]> {
  const [fields, read] = [new Set<string>(), new Set<string>()];
  for (const { aggregate, rules, states, events } of await foldAll()) {
    for (const { type, data } of events as readonly { readonly type: string; readonly data: object }[]) {
      const note = (to: Set<string>, name: string | symbol) => void to.add(`${aggregate} ${type}.${String(name)}`);
      for (const name of Object.keys(data)) note(fields, name);
      const watched = new Proxy(data, {
        get: (target, name) => {
          note(read, name);
          return Reflect.get(target, name);
        },
        has: (target, name) => {
          note(read, name);
          return Reflect.has(target, name);
        },
      });
      for (const state of states) rules.evolve(state ?? rules.initialState, { type, data: watched } as never);
    }
  }
  const forConsumers = /Id$| SagaReplyRequested\./;
  return [...fields].filter((field) => !read.has(field) && !forConsumers.test(field)).toSorted();
}

/** Returns a value of a schema with all of its optional fields: no example has all of them. */
function fillOptional(schema: JsonSchema): unknown {
  const { type, properties = {}, items, anyOf, const: only, enum: values, format, additionalProperties } = schema;
  if (only !== undefined) return only;
  if (values) return values[0];
  if (anyOf?.[0]) return fillOptional(anyOf[0]);
  if (type === 'object') {
    const others = typeof additionalProperties === 'object' ? { '*': fillOptional(additionalProperties) } : {};
    return {
      ...others,
      ...Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, fillOptional(one)])),
    };
  }
  if (type === 'array') return items ? [fillOptional(items)] : [];
  if (type === 'string') return format === 'date-time' ? '2026-01-01T00:00:00.000Z' : 'Text-1';
  return type === 'boolean' ? true : 1;
}

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** Returns the examples of an aggregate's events, in all versions, as they are read, and each event with all of its fields. */
function collectExamples(name: string, contract: ServiceContract, aggregate: string): readonly unknown[] {
  return Object.entries(contract.events).flatMap(([type, { version, data: newest }]): readonly unknown[] => {
    const { subject, data, earlier = {} } = findExample(name, type);
    // Each aggregate of a service answers a saga in the same words.
    if (subject.split('/')[0] !== aggregate && type !== 'SagaReplyRequested') return [];
    const versions = [...Object.entries(earlier), [version, data] as const];
    const full = fillOptional(
      JSON.parse(JSON.stringify(z.toJSONSchema(newest, { io: 'input', unrepresentable: 'any' }))),
    );
    return [{ type, data: full }, ...versions.map(([of, one]) => readEvent(contract, type, Number(of), one))];
  });
}

/**
 * Compares the shapes with the approved ones.
 * @returns one line for each state whose shape and number do not belong together any more
 */
export function findShapeFaults(
  approved: Readonly<Record<string, StateShape>>,
  present: Readonly<Record<string, StateShape>>,
): readonly string[] {
  return [...new Set([...Object.keys(approved), ...Object.keys(present)])].flatMap((name) => {
    const [before, now] = [approved[name], present[name]];
    if (!before || !now) return [`${name}: is ${now ? 'new' : 'gone'}. Run npm run docs`];
    const changed = differingPaths(before, now);
    const isRaised = now.stateSchema > before.stateSchema;
    if (changed.length === 0 && now.stateSchema === before.stateSchema) return [];
    if (changed.length > 0 && !isRaised) {
      return [
        `${name}: ${changed.join(', ')} changed, and stateSchema is ${now.stateSchema} as before. Stored snapshots of the old shape would be taken for the new one: raise stateSchema, then run npm run docs`,
      ];
    }
    const why = changed.length > 0 ? `${changed.join(', ')} changed` : 'no field changed';
    return [
      `${name}: stateSchema is ${now.stateSchema} instead of ${before.stateSchema}, and ${why}. If old snapshots have to be ignored, run npm run docs`,
    ];
  });
}

function differingPaths({ shapes: before }: StateShape, { shapes: now }: StateShape): readonly string[] {
  const statuses = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return statuses.flatMap((status) => {
    const [old, present] = [before[status] ?? {}, now[status] ?? {}];
    const paths = [...new Set([...Object.keys(old), ...Object.keys(present)])];
    return paths.filter((path) => old[path] !== present[path]).map((path) => `${status}.${path}`);
  });
}

/**
 * Returns the approval file's text.
 * @throws {Error} if a shape changed and the number beside it did not
 */
export async function approvedStates(): Promise<string> {
  const present = await foldedStates();
  let approved: Readonly<Record<string, StateShape>> = {};
  try {
    approved = JSON.parse(readFileSync(APPROVED_STATES, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const wrong = findShapeFaults(approved, present).filter((fault) => fault.includes('as before'));
  if (wrong.length > 0) {
    const only =
      'If only the examples or histories show more than before, remove the entry from test/golden/states.json first.';
    throw new Error([...wrong, only].join('\n'));
  }
  return asJson(present);
}
