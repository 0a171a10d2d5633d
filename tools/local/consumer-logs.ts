import {
  CloudWatchLogsClient,
  paginateFilterLogEvents,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { clientConfig, functionsIn, type StackOutputs } from '@orderly/kit/operator';
import type { Endpoint } from './endpoint.js';

/** What a consumer logs once per message that it has handled. */
export interface Handled {
  readonly consumer: string;
  readonly eventId: string;
  readonly outcome: 'applied' | 'duplicate';
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Log lines of the consumers of `dev` since a given time. */
export class ConsumerLogs {
  private readonly logs: CloudWatchLogsClient;
  private groups: Promise<readonly string[]> | undefined;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly outputs: StackOutputs,
    private readonly since: number,
  ) {
    this.logs = new CloudWatchLogsClient(clientConfig(endpoint));
  }

  /** Returns what the consumers have handled, in the order of time. */
  async handled(): Promise<readonly Handled[]> {
    this.groups ??= this.findGroups();
    const lines = await Promise.all((await this.groups).map((group) => this.lines(group)));
    return handledIn(lines.flat());
  }

  /**
   * Finds the log groups of the consumers and of their lanes' writers, whose functions the outputs name. A function logs to its configured group, but in LocalStack to
   * `/aws/lambda/<its name>`.
   */
  private async findGroups(): Promise<readonly string[]> {
    const consumers = new Set(
      functionsIn(this.outputs).flatMap(({ name, consumer, entry }) =>
        consumer === undefined && !entry.endsWith(LANE) ? [] : [name],
      ),
    );
    const client = new LambdaClient(clientConfig(this.endpoint));
    const { kind } = this.endpoint;
    const groupsOf = (name: string, configured: string | undefined): readonly string[] => {
      const usual = `/aws/lambda/${name}`;
      if (configured === undefined) return [usual];
      return kind === 'local-cloud' || kind === 'aws' ? [configured] : [usual, configured];
    };
    const groups: string[] = [];
    for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
      for (const { FunctionName = '', LoggingConfig } of Functions) {
        if (!consumers.has(FunctionName)) continue;
        groups.push(...groupsOf(FunctionName, LoggingConfig?.LogGroup));
      }
    }
    client.destroy();
    return [...new Set(groups)];
  }

  private async lines(logGroupName: string): Promise<readonly string[]> {
    const lines: string[] = [];
    try {
      for await (const { events = [] } of paginateFilterLogEvents(
        { client: this.logs },
        { logGroupName, startTime: this.since },
      )) {
        lines.push(...events.map(({ message = '' }) => message.trim()));
      }
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error; // the function has not been called yet
    }
    return lines;
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
export function handledIn(lines: readonly string[]): readonly Handled[] {
  const deliveries = new Map<string, Logged[]>();
  const logged = lines.flatMap(read).toSorted((one, other) => one.at.localeCompare(other.at));
  for (const one of logged) {
    const key = `${one.consumer} ${one.eventId}`;
    deliveries.set(key, [...(deliveries.get(key) ?? []), one]);
  }
  return [...deliveries.values()].flatMap(outcomesOf).toSorted((one, other) => one.at.localeCompare(other.at));
}

/** @param logged lines about one message at one consumer, in the order of time */
function outcomesOf(logged: readonly Logged[]): readonly Handled[] {
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
  if (!line.startsWith('{')) return [];
  try {
    const { message, consumer, eventId, timestamp } = JSON.parse(line) as Record<string, unknown>;
    const outcome = OUTCOMES.get(String(message));
    return outcome && typeof consumer === 'string' && typeof eventId === 'string'
      ? [{ consumer, eventId, outcome, at: String(timestamp) }]
      : [];
  } catch {
    return []; // the line was cut off when the function ended
  }
}
