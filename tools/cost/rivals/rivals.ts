import { totalOf } from '../bill.js';
import { billsByFunction } from '../case-bills.js';
import { type Counts, type CountsByFunction, times } from '../counts.js';
import { perMillion } from '../prices.js';
import type { CountedRival } from './powertools-run.js';

/** Dollars per million orders of another way to lead them. */
export interface Rival {
  readonly name: string;
  /** Subject of the counts, and where they were taken. */
  readonly counted: string;
  readonly alone: number;
  readonly batch: number;
}

/** Function of the played rival that leads the orders: what an engine replaces. */
const SAGA = 'Orders/OnMessage';
const ORDERS_RELAY = 'Orders/Relay';
const PLACE = 'Orders/Place';
/** Participants with an answer each. */
const PARTICIPANTS = 4;
/** Invocations of a durable function: its beginning, and one for each answer (Lambda guide, "Durable functions: replay"). */
const INVOCATIONS = 1 + PARTICIPANTS;
/** Bytes that a durable execution of an order stores: each command and answer is about 350 bytes. */
const BYTES = 3_000;

/** Returns the ways to lead the same order, the played one first. */
export function rivals(powertools: CountedRival): readonly Rival[] {
  const cost = (functions: CountsByFunction, engine = 0): Pick<Rival, 'alone' | 'batch'> => {
    const [alone = 0, batch = 0] = [false, true].map((isBatch) =>
      billsByFunction(powertools, { ...powertools, functions }, isBatch).reduce(
        (sum, { bill }) => sum + totalOf(bill),
        0,
      ),
    );
    return { alone: alone + engine, batch: batch + engine };
  };
  const withEngine = ledByEngine(powertools.functions);
  const durable = (operations: number): number =>
    perMillion('durableOperations', operations) + perMillion('durableBytes', BYTES);
  const sdk = 'AWS, Durable execution SDK guide, "Operations"';
  const steps = 'AWS Step Functions Developer Guide, "Transitions" and "Choosing workflow type"';
  return [
    {
      name: 'a saga by hand on Powertools (idempotency), with an outbox',
      counted: 'played',
      ...cost(powertools.functions),
    },
    {
      name: 'Lambda durable functions, `waitForCallback`',
      counted: `14 operations: the beginning, 3 for each of ${PARTICIPANTS} steps, the approval (${sdk})`,
      ...cost(withEngine, durable(14)),
    },
    {
      name: 'Lambda durable functions, `createCallback` and a step',
      counted: `10 operations (${sdk})`,
      ...cost(withEngine, durable(10)),
    },
    {
      name: 'Step Functions Standard, task tokens',
      counted: `7 transitions: 4 tasks, a choice, the approval, the end (${steps})`,
      ...cost(withEngine, perMillion('standardTransitions', 7)),
    },
    {
      name: 'Step Functions Express, participants invoked directly: no queues, at least once as a whole',
      counted: `a request, and 2 s at 64 MB (${steps})`,
      ...cost(
        invokedDirectly(powertools.functions),
        perMillion('expressRequests', 1) + perMillion('expressTime', 2 * 0.0625),
      ),
    },
  ];
}

/**
 * Returns what is around an engine that waits for answers: an outbox starts it, it puts the commands on the bus, and the relays
 * of participants answer it instead of the bus. It keeps the order's state, so the saga's writes are those of the approval.
 */
function ledByEngine(functions: CountsByFunction): CountsByFunction {
  const saga = functions[SAGA] ?? {};
  const { invocations: messages = 1 } = saga;
  const each = times(saga, INVOCATIONS / messages);
  const engine: Counts = { ...keep(each, ['invocations', 'logLines', 'logBytes', 'systemLogBytes']), plainWrites: 1 };
  const relay = functions[ORDERS_RELAY] ?? {};
  const started = times(
    keep(relay, ['invocations', 'logLines', 'logBytes', 'systemLogBytes']),
    1 / (relay.invocations ?? 1),
  );
  const others = Object.entries(functions)
    .filter(([fn]) => fn !== SAGA && fn !== ORDERS_RELAY)
    .map(([fn, counts]): [string, Counts] =>
      fn.endsWith('/Relay') ? [fn, { ...counts, busEntries: 0, busBytes: 0 }] : [fn, counts],
    );
  return {
    ...Object.fromEntries(others),
    [PLACE]: functions[PLACE] ?? {},
    [SAGA]: engine,
    [ORDERS_RELAY]: { ...started, ...keep(relay, ['busEntries', 'busBytes']) },
  };
}

/** Returns what is around an engine that invokes the participants itself: neither queues, nor answers, nor outboxes of theirs. */
function invokedDirectly(functions: CountsByFunction): CountsByFunction {
  const engine = ledByEngine(functions);
  return Object.fromEntries(
    Object.entries(engine)
      .filter(([fn]) => fn !== SAGA && (fn === ORDERS_RELAY || !fn.endsWith('/Relay')))
      .map(([fn, counts]) => [
        fn,
        { ...counts, messages: 0, queueRequests: 0, fairRequests: 0, busEntries: 0, busBytes: 0 },
      ]),
  );
}

const keep = (counts: Counts, measures: readonly (keyof Counts)[]): Counts =>
  Object.fromEntries(measures.map((measure) => [measure, counts[measure] ?? 0]));
