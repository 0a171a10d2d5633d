import {
  type AttemptReader,
  type CommandContext,
  createAttemptReader,
  createRelayReader,
  Exit,
  type FoundAttempts,
  fitToTerminal,
  OperatorError,
  type Outcome,
  pluralize,
  type RelayReader,
  RequestRefused,
  type Saga,
  sagaToJson,
} from '@orderly/operator';
import { ORDER_ID } from '../orders/keys.js';
import { describeSummary, summarizeAttempts } from './attempt-summary.js';
import { type AggregateFacts, type EventReport, type OrderFacts, reportEvents } from './deliveries.js';
import { findDoneTwice } from './done-twice.js';
import { type FoundCommit, findCommits, type Search } from './find-message.js';
import { findOrderIds } from './order-aggregates.js';
import { readFacts, readOrder, unknownOrderError, withAttempts, withRelays } from './order-facts.js';
import { judgeOrder } from './order-verdict.js';
import { command } from './program.js';
import { buildTree, collectMessages, findNode, formatTree, type MessageNode } from './trace-tree.js';
import { failure, type Verdict } from './verdict.js';

interface TraceRequest {
  readonly id: string;
  readonly verbose: boolean;
  readonly search: Search;
}

const EXITS = { complete: Exit.OK, pending: Exit.PENDING, failed: Exit.NEEDS_OPERATOR } as const;

/** `orderly trace <id>`. @throws {OperatorError} `not-found` or `refused` */
export async function showTrace(
  context: CommandContext,
  request: TraceRequest,
  relays: RelayReader = createRelayReader(context.endpoint),
  attempts: AttemptReader = createAttemptReader(context),
): Promise<Outcome> {
  const { id, verbose } = request;
  const { what, roots, verdict, found, doneTwice, sagas } = await findTrace(context, request, async (facts) =>
    withAttempts(await Promise.all(facts.map((one) => withRelays(one, relays))), attempts),
  );
  const events = collectMessages(roots);
  const summary = summarizeAttempts(found, events);
  return {
    exitCode: EXITS[verdict.state],
    text: [
      verdict.text,
      ...(verdict.next === undefined ? [] : [`next: ${verdict.next}`]),
      what,
      ...(summary ? [describeSummary(summary, doneTwice)] : []),
      '',
      verbose ? formatTree(roots, { verbose }) : fitToTerminal(formatTree(roots, { verbose })),
    ].join('\n'),
    json: {
      id,
      title: what,
      verdict,
      roots: roots.map(toJson),
      events: events.length,
      ...(summary && { attempts: summary }),
      doneTwice,
      sagas: sagas.map(sagaToJson),
    },
  };
}

interface TraceResult {
  readonly what: string;
  readonly roots: readonly MessageNode[];
  readonly verdict: Verdict;
  readonly found?: FoundAttempts | undefined;
  /** Number of effects that were found twice. */
  readonly doneTwice: number;
  /** Sagas of the orders that it is about. */
  readonly sagas: readonly Saga[];
}

/** Adds to facts what is not in the tables. */
type Complete = (facts: readonly OrderFacts[]) => Promise<readonly OrderFacts[]>;

async function findTrace(
  context: CommandContext,
  { id, search }: TraceRequest,
  complete: Complete,
): Promise<TraceResult> {
  const { services } = context;
  const order = ORDER_ID.test(id) ? await orUndefined(readOrder(context, id)) : undefined;
  if (order) return traceOrder((await complete([order]))[0] ?? order);
  // A client's correlation id may look like an order's id.
  const finding = findCommits(context, id, search);
  const found = ORDER_ID.test(id) ? await orUndefined(finding) : await finding;
  if (!found) throw unknownOrderError(id);
  const { by, commits } = found;
  const read = await readFactsAbout(context, id, commits);
  const facts = await complete(read);
  const logs = {
    found: facts[0]?.found,
    doneTwice: findDoneTwice(facts.flatMap(({ aggregates }) => aggregates)).length,
    sagas: facts.flatMap((one) => one.sagas),
  };
  const roots = buildTree(reportMessages(facts, by === 'correlation' ? id : undefined), services);
  if (by === 'correlation')
    return { what: `correlation id ${id}`, roots, verdict: judgeMessages(collectMessages(roots), id), ...logs };
  const node = findNode(roots, id);
  if (!node) throw new OperatorError('not-found', `'${id}' was found, but its aggregate can't be read.`);
  const { type, subject } = node.message;
  return { what: `${type} of ${subject}`, roots: [node], verdict: judgeMessages(collectMessages([node]), id), ...logs };
}

function traceOrder(facts: OrderFacts): TraceResult {
  const { orderId, order, events, verdict, doneTwice } = judgeOrder(facts);
  const what = order
    ? `order ${orderId}: ${order.status}, ${pluralize(order.lines.length, 'line')}, placed ${order.placedAt}`
    : `order ${orderId}`;
  const { next, ...own } = verdict;
  // A pending order's own advice is to ask again: this command does.
  const again = verdict.state === 'pending' ? command('trace', orderId, '--follow') : next;
  return {
    what,
    roots: buildTree(events, facts.services),
    verdict: { ...own, ...(again !== undefined && { next: again }) },
    found: facts.found,
    doneTwice: doneTwice.length,
    sagas: facts.sagas,
  };
}

/** Orders of one trace that are read at most, one after the other: each costs about 20 queries. */
const MAX_ORDERS = 20;

/**
 * Reads all about each order of some commits, and the aggregates of the commits that belong to no order. A client may send one
 * correlation id with several orders.
 * @throws {RequestRefused} for too many orders
 */
async function readFactsAbout(
  context: CommandContext,
  id: string,
  commits: readonly FoundCommit[],
): Promise<readonly OrderFacts[]> {
  const { documents, services, clock } = context;
  const orders: OrderFacts[] = [];
  for (const orderId of new Set(commits.flatMap(({ commit }) => findOrderIds(commit)))) {
    const order = await orUndefined(readOrder(context, orderId));
    if (order && orders.length === MAX_ORDERS) {
      const message = `'${id}' belongs to more than ${MAX_ORDERS} orders: trace each order by its own id.`;
      throw new RequestRefused(message, ['trace', orderId]);
    }
    if (order) orders.push(order);
  }
  const known = new Set(
    orders.flatMap(({ aggregates }) => aggregates.flatMap((one) => one.commits.map((own) => keyOf(one.service, own)))),
  );
  const others = commits.filter(({ service, commit }) => !known.has(keyOf(service.name, commit)));
  if (others.length === 0) return orders;
  return [...orders, await readFacts(documents, services, toAggregates(others), clock.now())];
}

const keyOf = (service: string, { pk, sk }: FoundCommit['commit']): string => `${service} ${pk}/${sk}`;

/** Returns what a read finds, or nothing if it does not exist. */
const orUndefined = <Found>(read: Promise<Found>): Promise<Found | undefined> =>
  read.catch((error: unknown) => {
    if (error instanceof OperatorError && error.code === 'not-found') return undefined;
    throw error;
  });

function toAggregates(commits: readonly FoundCommit[]): readonly AggregateFacts[] {
  const byKey = new Map(commits.map((one) => [`${one.service.name} ${one.commit.pk}`, one]));
  return [...byKey.values()].map(({ service, commit: { pk } }) => ({
    service: service.name,
    subject: pk.replace('#', '/'),
    commits: commits
      .filter((one) => one.service === service && one.commit.pk === pk)
      .map((one) => one.commit)
      .toSorted((one, other) => one.sk.localeCompare(other.sk)),
  }));
}

/** Returns the messages of all facts, each once, oldest first. What followed from one may be among the facts of another. */
function reportMessages(facts: readonly OrderFacts[], correlationId: string | undefined): readonly EventReport[] {
  const aggregates = facts.flatMap((one) => one.aggregates);
  const reports = facts.flatMap((one) => one.aggregates.flatMap((own) => reportEvents(own, { ...one, aggregates })));
  const byId = new Map(reports.map((one) => [one.id, one]));
  return [...byId.values()]
    .filter((one) => correlationId === undefined || one.correlationId === correlationId)
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

/** Judges messages by their deliveries alone. */
function judgeMessages(messages: readonly EventReport[], id: string): Verdict {
  const all = messages.flatMap((message) => message.deliveries.map((delivery) => ({ message, delivery })));
  const bad = all.find(({ delivery }) => delivery.state === 'failed' || delivery.state === 'lost');
  if (bad) {
    const { message, delivery } = bad;
    const text = `${message.type} at ${delivery.consumer}: ${delivery.reason ?? delivery.state}`;
    return failure(text, command('failures', 'show', delivery.consumer, delivery.messageId));
  }
  const unpublished = messages.filter(({ publication }) => publication?.state === 'waiting');
  const pending = all.filter(({ message, delivery }) => delivery.state === 'pending' && !unpublished.includes(message));
  if (pending.length + unpublished.length > 0) {
    const words = [
      ...unpublished.map(({ type, publication }) => `${type} is ${publication?.text}`),
      ...pending.map(({ message, delivery }) => `${delivery.consumer} of ${message.type}`),
    ].slice(0, 3);
    return { state: 'pending', text: `pending: ${words.join('; ')}`, next: command('trace', id, '--follow') };
  }
  const counted = `${pluralize(messages.length, 'message')}, ${pluralize(all.length, 'delivery', 'deliveries')}`;
  const unheard = messages.filter(({ deliveries }) => deliveries.length === 0).length;
  const untold = all.filter(({ delivery: { state } }) => state === 'expired' || state === 'unjudged').length;
  const limits = [
    ...(unheard > 0 ? [`${pluralize(unheard, 'message has', 'messages have')} no consumer: nothing to compare`] : []),
    ...(untold > 0 ? [`what became of ${pluralize(untold, 'delivery', 'deliveries')} is not known`] : []),
  ];
  const known = all.length > untold ? [`${counted}, none failed or pending`] : [counted];
  return { state: 'complete', text: `complete: ${[...known, ...limits].join('; ')}` };
}

interface JsonNode extends EventReport {
  readonly hops: readonly object[];
}

function toJson({ message, hops, others }: MessageNode): JsonNode & { readonly others: readonly JsonNode[] } {
  return {
    ...message,
    hops: hops.map(({ delivery, followed }) => ({ ...delivery, followed: followed.map(toJson) })),
    others: others.map(toJson),
  };
}
