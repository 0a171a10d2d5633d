import {
  type AttemptReader,
  alignColumns,
  type CommandContext,
  createAttemptReader,
  createRelayReader,
  describeAttempt,
  describeSaga,
  Exit,
  type Outcome,
  pluralize,
  type RelayReader,
  sagaToJson,
} from '@orderly/operator';
import { describeSummary } from '../../lambdas/operations/attempt-summary.js';
import { type Delivery, type EventReport, listTries, type OrderFacts } from '../../lambdas/operations/deliveries.js';
import { readOrder, withAttempts, withRelays } from '../../lambdas/operations/order-facts.js';
import { judgeOrder, type OrderReport } from '../../lambdas/operations/order-verdict.js';
import { formatElapsed } from '../../lambdas/operations/trace-tree.js';
import { ORDERS_LIST } from '../../lambdas/orders/keys.js';

const EXITS = { complete: Exit.OK, pending: Exit.PENDING, failed: Exit.NEEDS_OPERATOR } as const;

/** `orderly order <id>`. @throws {OperatorError} `not-found` */
export async function showOrder(
  context: Pick<CommandContext, 'app' | 'environment' | 'documents' | 'services' | 'endpoint' | 'clock'>,
  { orderId, payload, verbose }: { readonly orderId: string; readonly payload: boolean; readonly verbose: boolean },
  relays: RelayReader = createRelayReader(context.endpoint),
  attempts: AttemptReader = createAttemptReader(context),
): Promise<Outcome> {
  const read = await withRelays(await readOrder(context, orderId), relays);
  const [facts = read] = await withAttempts([read], attempts);
  const report = judgeOrder(facts);
  const people = payload ? collectPeople(facts) : undefined;
  return {
    exitCode: EXITS[report.verdict.state],
    text: renderOrder(report, people, verbose),
    json: orderToJson(report, people),
  };
}

/** Data and actors of events and commands by their ids; shown on request only. */
type People = ReadonlyMap<string, { readonly actor: string; readonly data: unknown }>;

const collectPeople = ({ aggregates }: OrderFacts): People =>
  new Map(
    aggregates.flatMap(({ commits }) =>
      commits.flatMap(({ actor, events, commands = [] }) =>
        [...events, ...commands].map(({ id, data }) => [id, { actor, data: JSON.parse(data) as unknown }] as const),
      ),
    ),
  );

function renderOrder(
  { orderId, order, sagas, shown, events, verdict, attempts, doneTwice }: OrderReport,
  people: People | undefined,
  verbose: boolean,
): string {
  const head = order
    ? `order ${orderId}: ${order.status}, version ${order.version}, ${pluralize(order.lines.length, 'line')}, placed ${order.placedAt}`
    : `order ${orderId}: unknown to orders`;
  const listed = shown.get(ORDERS_LIST) ?? 0;
  const row = order
    ? `its customer's list shows ${listed === 0 ? 'nothing yet' : `version ${listed}${listed < order.version ? ', not the newest' : ''}`}`
    : '';
  const begin = events[0]?.at ?? '';
  const format: Format = verbose
    ? { id: (id) => id, time: (at) => at }
    : { id: (id) => id.slice(-8), time: (at) => formatElapsed(begin, at) };
  const blocks = events.map((event, at) => renderEvent(event, isOfCommit(event, events[at - 1]), people, format));
  const next = verdict.next === undefined ? [] : [`next: ${verdict.next}`];
  const led = sagas.map((saga) => `its saga ${describeSaga(saga)}`);
  const came = attempts ? [describeSummary(attempts, doneTwice.length)] : [];
  return [verdict.text, ...next, head, ...(row ? [row] : []), ...led, ...came, '', ...blocks].join('\n');
}

/** How ids and times are shown: in full, or short and since the first event. */
interface Format {
  readonly id: (id: string) => string;
  readonly time: (at: string) => string;
}

/** Whether two messages in consecutive rows were sent with the same commit. */
const isOfCommit = (event: EventReport, above: EventReport | undefined): boolean =>
  above !== undefined && above.subject === event.subject && above.trigger === event.trigger;

/** @param below whether its cause is in a row above it */
function renderEvent(
  event: EventReport,
  below: boolean,
  people: People | undefined,
  { id: idOf, time }: Format,
): string {
  const { subject, version, type, to, details, at, id, trigger, correlationId, deliveries, publication } = event;
  const [aggregate = ''] = subject.split(/[/ ]/);
  const what = [to === undefined ? type : `command ${type} to ${to}`, ...(details === undefined ? [] : [details])];
  const rows = deliveries.flatMap((one) => [
    [one.consumer, describeEvent(one, time)],
    ...listTries(one).map((attempt) => ['', describeAttempt(attempt, time)]),
  ]);
  const lines = [`${aggregate} ${version}  ${what.join('  ')}  ${time(at)}`];
  if (!below) lines.push(`    ${idOf(id)}  caused by ${idOf(trigger)}  correlation ${idOf(correlationId)}`);
  else if (rows.length > 0) lines.push(`    ${idOf(id)}`);
  const person = people?.get(id);
  if (person) lines.push(`    by ${person.actor}: ${JSON.stringify(person.data)}`);
  if (publication) lines.push(`    ${publication.text}`);
  if (rows.length > 0) lines.push(alignColumns(rows, '    -> '));
  return lines.join('\n');
}

const WORDS: Readonly<Record<Delivery['state'], string>> = {
  processed: 'processed',
  collected: 'collected',
  pending: 'pending',
  failed: 'FAILED',
  discarded: 'discarded',
  repeated: 'failed again',
  lost: 'LOST (no queue keeps a message for so long)',
  expired: 'not known any more (records of that time have expired)',
  unsent: 'not sent (discarded before)',
  unjudged: 'not known here (a projection)',
};

const describeEvent = ({ state, at, reason }: Delivery, time: Format['time']): string =>
  [WORDS[state], ...(at ? [time(at)] : []), ...(reason ? [reason] : [])].join('  ');

function orderToJson(report: OrderReport, people: People | undefined): Outcome['json'] {
  const { orderId, order, sagas, shown, events, doneTwice, verdict, attempts } = report;
  return {
    orderId,
    order: order ? { status: order.status, version: order.version, placedAt: order.placedAt } : null,
    listedVersion: shown.get(ORDERS_LIST) ?? 0,
    sagas: sagas.map(sagaToJson),
    events: events.map((event) => ({ ...event, ...people?.get(event.id) })),
    doneTwice,
    verdict,
    ...(attempts && { attempts }),
  };
}
