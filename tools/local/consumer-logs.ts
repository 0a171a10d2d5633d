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
    return lines
      .flat()
      .flatMap(read)
      .sort((one, other) => one.at.localeCompare(other.at));
  }

  /**
   * Finds the log groups of the consumers, whose functions the outputs name. A function logs to its configured group, but in LocalStack to
   * `/aws/lambda/<its name>`.
   */
  private async findGroups(): Promise<readonly string[]> {
    const consumers = new Set(
      functionsIn(this.outputs).flatMap(({ name, consumer }) => (consumer === undefined ? [] : [name])),
    );
    const client = new LambdaClient(clientConfig(this.endpoint));
    const groups: string[] = [];
    for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
      for (const { FunctionName = '', LoggingConfig } of Functions) {
        if (!consumers.has(FunctionName)) continue;
        groups.push(`/aws/lambda/${FunctionName}`, ...(LoggingConfig?.LogGroup ? [LoggingConfig.LogGroup] : []));
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

/** Words of a consumer for what became of a message. An inbox stores it, or knows it already. */
const OUTCOMES: ReadonlyMap<string, Handled['outcome']> = new Map([
  ['applied', 'applied'],
  ['stored', 'applied'],
  ['duplicate', 'duplicate'],
  ['known', 'duplicate'],
]);

function read(line: string): readonly Handled[] {
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
