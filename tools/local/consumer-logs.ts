import { type FunctionDescription, findAttempts, parseAttemptLine } from '@orderly/operator';
import { FunctionLogs } from './function-logs.js';

/** Log line that a consumer writes once per message that it has handled. */
export interface Handled {
  readonly consumer: string;
  readonly eventId: string;
  /** `applied` is also a message that its inbox has stored: the consumer has taken it, and knows it from then on. */
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

/** Returns what log lines say of messages that ended, in the order of time. @param lines of consumers and of lanes' writers */
export const parseHandled = (lines: readonly string[]): readonly Handled[] =>
  [...findAttempts(lines.flatMap((line) => parseAttemptLine(line) ?? []))]
    .flatMap(([key, attempts]) => {
      const [consumer = '', eventId = ''] = key.split(' ');
      return attempts.flatMap(({ outcome: word, isStored, at }) => {
        const outcome = isStored ? 'applied' : word;
        return at !== undefined && (outcome === 'applied' || outcome === 'duplicate')
          ? { consumer, eventId, outcome, at }
          : [];
      });
    })
    .toSorted((one, other) => one.at.localeCompare(other.at));
