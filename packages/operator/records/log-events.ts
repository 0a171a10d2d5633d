import {
  type CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';

/** Where lines are looked for, and which ones. */
export interface LogSearch {
  /** Beginning of the names of the environment's stacks: `shop-dev-`. Functions' groups without a name begin with their stack's. */
  readonly prefix: string;
  /** Physical names of the functions. */
  readonly functions: readonly string[];
  /** First and last time, milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Terms of the lines. Amazon CloudWatch Logs User Guide, "Filter pattern syntax". */
  readonly pattern: string;
}

/** Line of a function's log. */
export interface LogEvent {
  /** Time, ISO 8601. */
  readonly at: string;
  /** Physical name of the function. */
  readonly fn: string;
  readonly text: string;
}

/** Pages of one group that are read at most. */
const MAX_PAGES = 20;

/**
 * Reads lines of some functions, oldest first, and says whether there are more than it has read. Functions of a stack share a group, so that one
 * search a group is enough; the stream of a line tells its function. AWS charges nothing for it.
 * @param take returns what a line is about, so that no other text is kept
 */
export async function readLogEvents<Found extends Pick<LogEvent, 'at'>>(
  client: CloudWatchLogsClient,
  { prefix, functions, from, to, pattern }: LogSearch,
  take: (event: LogEvent) => readonly Found[],
): Promise<{ readonly found: readonly Found[]; readonly more: boolean }> {
  const stacks = [...new Set(functions.map((name) => stackOf(name, prefix)))];
  const groups: string[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, { logGroupNamePrefix: prefix })) {
    groups.push(
      ...logGroups.flatMap(({ logGroupName: name = '' }) => (stacks.includes(stackOf(name, prefix)) ? name : [])),
    );
  }
  const wanted = new Set(functions);
  const asked = { startTime: from, endTime: to, filterPattern: pattern };
  const read = await Promise.all(
    groups.map((logGroupName) =>
      readGroup(client, { logGroupName, ...asked }, (event) => (wanted.has(event.fn) ? take(event) : [])),
    ),
  );
  return {
    found: read.flatMap(({ found }) => found).toSorted((one, other) => one.at.localeCompare(other.at)),
    more: read.some(({ more }) => more),
  };
}

const stackOf = (name: string, prefix: string): string => name.slice(prefix.length).split('-')[0] ?? '';

async function readGroup<Found>(
  client: CloudWatchLogsClient,
  asked: Parameters<typeof paginateFilterLogEvents>[1],
  take: (event: LogEvent) => readonly Found[],
): Promise<{ readonly found: readonly Found[]; readonly more: boolean }> {
  const found: Found[] = [];
  let pages = 0;
  for await (const { events = [], nextToken } of paginateFilterLogEvents({ client }, asked)) {
    for (const { logStreamName, message = '', timestamp = 0 } of events) {
      const fn = functionOf(logStreamName);
      if (fn !== undefined) found.push(...take({ at: new Date(timestamp).toISOString(), fn, text: message }));
    }
    if (++pages === MAX_PAGES) return { found, more: nextToken !== undefined };
  }
  return { found, more: false };
}

/**
 * Returns the function in the name of a stream: `2026/11/29/<function>[$LATEST]<environment>` (AWS Lambda Developer Guide, "Configuring
 * CloudWatch log groups").
 */
const functionOf = (stream = ''): string | undefined => /\/([^/[]+)\[/.exec(stream)?.[1];
