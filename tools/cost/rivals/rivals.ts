import { totalOf } from '../bill.js';
import { billsByFunction } from '../case-bills.js';
import { type Counts, type CountsByFunction, times } from '../counts.js';
import { perMillion } from '../prices.js';
import type { Leader } from './app/app.js';
import type { CountedRival } from './play.js';

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
export function rivals({ saga, standard, express }: Readonly<Record<Leader, CountedRival>>): readonly Rival[] {
  const cost = (counted: CountedRival, engine = 0): Pick<Rival, 'alone' | 'batch'> => {
    const [alone = 0, batch = 0] = [false, true].map((isBatch) =>
      billsByFunction(counted, counted, isBatch).reduce((sum, { bill }) => sum + totalOf(bill), 0),
    );
    return { alone: alone + engine, batch: batch + engine };
  };
  const withEngine = { ...saga, functions: ledByEngine(saga.functions) };
  const durable = (operations: number): number =>
    perMillion('durableOperations', operations) + perMillion('durableBytes', BYTES);
  const sdk = 'AWS, Durable execution SDK guide, "Operations"';
  const steps = 'AWS Step Functions Developer Guide, "Transitions" and "Choosing workflow type"';
  return [
    {
      name: 'a saga by hand on Powertools (idempotency), with an outbox',
      counted: 'played',
      ...cost(saga),
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
      counted: `played: ${standard.transitions} transitions`,
      ...cost(standard, perMillion('standardTransitions', standard.transitions)),
    },
    {
      name: 'Step Functions Express, participants invoked directly: no queues, at least once as a whole',
      counted: `played; of the execution, a request, and 2 s at 64 MB (${steps})`,
      ...cost(express, perMillion('expressRequests', 1) + perMillion('expressTime', 2 * 0.0625)),
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

const keep = (counts: Counts, measures: readonly (keyof Counts)[]): Counts =>
  Object.fromEntries(measures.map((measure) => [measure, counts[measure] ?? 0]));
