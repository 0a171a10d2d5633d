import type { FunctionDescription } from '@orderly/operator';
import { FunctionLogs, parseFields } from './function-logs.js';

/** Log line that a consumer writes once per message that it has handled. */
export interface Handled {
  readonly consumer: string;
  readonly eventId: string;
  readonly outcome: 'applied' | 'duplicate';
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Log lines of the consumers of `dev` since a given time. */
export class ConsumerLogs {
  private readonly logs: FunctionLogs;

  constructor(...of: ConstructorParameters<typeof FunctionLogs>) {
    this.logs = new FunctionLogs(...of);
  }

  /**
   * Returns what the consumers, and the writers of their lanes, have handled, in the order of time.
   * @param service whose consumers are meant. @default all services'
   */
  async handled(service?: string): Promise<readonly Handled[]> {
    const isConsumer = (fn: FunctionDescription): boolean => fn.consumer !== undefined || fn.entry.endsWith(LANE);
    return parseHandled(
      await this.logs.lines((fn) => isConsumer(fn) && (service === undefined || fn.service === service)),
    );
  }
}

/** Entry points of lanes' writers end in this. */
const LANE = '/on-lane';

/** Words of a consumer for what became of a message. An inbox stores it, or knows it already; a lane decides it later. */
const OUTCOMES: ReadonlyMap<string, Handled['outcome'] | 'in lane'> = new Map([
  ['applied', 'applied'],
  ['stored', 'applied'],
  ['duplicate', 'duplicate'],
  ['known', 'duplicate'],
  ['stored for the lane', 'in lane'],
]);

interface Logged extends Omit<Handled, 'outcome'> {
  readonly outcome: Handled['outcome'] | 'in lane';
}

/**
 * Returns what log lines say, in the order of time. A delivery that a consumer stored for its lane is one of two things, once
 * the message was applied: what the lane's writer applied, or a duplicate, of which the writer need not hear.
 * @param lines of consumers and of lanes' writers
 */
export function parseHandled(lines: readonly string[]): readonly Handled[] {
  const deliveries = new Map<string, Logged[]>();
  const logged = lines.flatMap(read).toSorted((one, other) => one.at.localeCompare(other.at));
  for (const one of logged) {
    const key = `${one.consumer} ${one.eventId}`;
    deliveries.set(key, [...(deliveries.get(key) ?? []), one]);
  }
  return [...deliveries.values()].flatMap(resolveOutcomes).toSorted((one, other) => one.at.localeCompare(other.at));
}

/** @param logged lines about one message at one consumer, in the order of time */
function resolveOutcomes(logged: readonly Logged[]): readonly Handled[] {
  const isEnded = (one: Logged): one is Handled => one.outcome !== 'in lane';
  const ended = logged.filter(isEnded);
  const inLane = logged.length - ended.length;
  const applied = ended.filter(({ outcome }) => outcome === 'applied');
  const [first] = applied;
  if (inLane === 0 || !first) return ended;
  const firstInLane = logged.findIndex((one) => !isEnded(one));
  // Lines before the first request in the lane are the consumer's own. A later line may be the writer's, about a delivery that
  // has a line of its consumer, too.
  const deliveries = firstInLane + Math.max(inLane, ended.length - firstInLane);
  const duplicates = deliveries - applied.length;
  return [...applied, ...Array.from({ length: duplicates }, (): Handled => ({ ...first, outcome: 'duplicate' }))];
}

function read(line: string): readonly Logged[] {
  const { message, consumer, eventId, timestamp } = parseFields(line) ?? {};
  const outcome = OUTCOMES.get(String(message));
  return outcome && typeof consumer === 'string' && typeof eventId === 'string'
    ? [{ consumer, eventId, outcome, at: String(timestamp) }]
    : [];
}
