import {
  CloudWatchLogsClient,
  paginateFilterLogEvents,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { clientConfig, type FunctionDescription, parseFunctions, type StackOutputs } from '@orderly/operator';
import type { Endpoint } from './endpoint.js';

/** Log lines of the functions of `dev` since a given time. */
export class FunctionLogs {
  private readonly logs: CloudWatchLogsClient;
  private groups: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

  /** @param since milliseconds since 1970, by the clock of the endpoint */
  constructor(
    private readonly endpoint: Endpoint,
    private readonly outputs: StackOutputs,
    private readonly since: number,
  ) {
    this.logs = new CloudWatchLogsClient(clientConfig(endpoint));
  }

  /** Returns the lines of the chosen functions. Those of one function are in the order of time. */
  async lines(chosen: (fn: FunctionDescription) => boolean): Promise<readonly string[]> {
    this.groups ??= this.findGroups();
    const groups = await this.groups;
    const wanted = parseFunctions(this.outputs).filter(chosen);
    const names = new Set(wanted.map(({ name }) => name));
    const read = new Set([...names].flatMap((name) => groups.get(name) ?? []));
    return (await Promise.all([...read].map((group) => this.readLines(group, names)))).flat();
  }

  /**
   * Finds the log groups of all functions. A function logs to its configured group, but in LocalStack to
   * `/aws/lambda/<its name>`.
   */
  private async findGroups(): Promise<ReadonlyMap<string, readonly string[]>> {
    const client = new LambdaClient(clientConfig(this.endpoint));
    const { kind } = this.endpoint;
    const groupsOf = (name: string, configured: string | undefined): readonly string[] => {
      const usual = `/aws/lambda/${name}`;
      if (configured === undefined) return [usual];
      return kind === 'local-cloud' || kind === 'aws' ? [configured] : [usual, configured];
    };
    const groups = new Map<string, readonly string[]>();
    for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
      for (const { FunctionName = '', LoggingConfig } of Functions)
        groups.set(FunctionName, groupsOf(FunctionName, LoggingConfig?.LogGroup));
    client.destroy();
    return groups;
  }

  /** Reads the lines of these functions. A group that functions share has streams with their names. */
  private async readLines(logGroupName: string, functions: ReadonlySet<string>): Promise<readonly string[]> {
    const lines: string[] = [];
    try {
      for await (const { events = [] } of paginateFilterLogEvents(
        { client: this.logs },
        { logGroupName, startTime: this.since },
      )) {
        const own = events.filter(({ logStreamName }) => {
          const name = parseFunctionName(logStreamName);
          return name === undefined || functions.has(name);
        });
        lines.push(...own.map(({ message = '' }) => message.trim()));
      }
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error; // the function has not been called yet
    }
    return lines;
  }
}

/**
 * Returns the name of the function that writes to a stream, or `undefined` for a stream of a group that one function has to itself:
 * `2026/11/29/<function>[<version>][<environment>]` (AWS Lambda Developer Guide, "Configuring CloudWatch log groups").
 */
const parseFunctionName = (stream = ''): string | undefined => /\/([^/[]+)\[/.exec(stream)?.[1];

/** Returns the fields of a structured log line, or `undefined` for any other line. */
export function parseFields(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined; // the line was cut off when the function ended
  }
}
