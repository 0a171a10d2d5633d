import type { Assembly } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Operations, paginate, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { LambdaFunction, LogLine } from '../lambda/model.js';
import { parseFilterPattern } from './filter-pattern.js';
import { MalformedQuery, type ResultRow, runQuery } from './insights.js';

const MOST_EVENTS = 10_000;
const PAGE = 50;
/** Log groups of one query. */
const MOST_GROUPS = 50;

/** A log group, and the streams of the functions that log to it, by their labels. */
interface Group {
  readonly name: string;
  readonly streams: ReadonlyMap<string, string>;
  readonly days: number | undefined;
}

/** Functions whose lines are read. */
type Labels = Pick<ReadonlySet<string>, 'has'>;

/** Parts of an account that its logs need. */
interface Account {
  readonly deployment: { readonly assembly: Assembly };
  readonly world: EventLoop;
  readonly home: AccountAndRegion;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly log: readonly LogLine[];
}

/** Lines of functions. Amazon CloudWatch Logs API Reference, "Actions". */
export function logsApi(cloud: Account): Operations {
  const groups = listGroups(cloud);
  const begun = cloud.world.begins;
  const lines = new Lines(cloud.log);
  const results = new Map<string, readonly ResultRow[]>();
  const groupOf = ({ logGroupName, logGroupIdentifier }: Input): Group => {
    const name = String(logGroupName ?? logGroupIdentifier)
      .replace(/^arn:.*:log-group:/, '')
      .replace(/:\*$/, '');
    const found = groups.get(name);
    if (!found) throw new Refused('ResourceNotFoundException', 'The specified log group does not exist.');
    return found;
  };
  return {
    DescribeLogGroups: ({ logGroupNamePrefix = '', logGroupNamePattern = '', nextToken, limit = PAGE }) => {
      const found = [...groups.values()].filter(
        ({ name }) => name.startsWith(String(logGroupNamePrefix)) && name.includes(String(logGroupNamePattern)),
      );
      const { page, next } = paginate(found, nextToken, Number(limit));
      const logGroups = page.map(({ name, days }) => ({
        logGroupName: name,
        arn: cloud.home.arn('logs', `log-group:${name}:*`),
        logGroupArn: cloud.home.arn('logs', `log-group:${name}`),
        creationTime: begun,
        ...(days !== undefined && { retentionInDays: days }),
        metricFilterCount: 0,
        logGroupClass: 'STANDARD',
        storedBytes: 0,
      }));
      return { logGroups, ...(next !== undefined && { nextToken: next }) };
    },
    DescribeLogStreams: (input) => {
      const group = groupOf(input);
      const streams = [...group.streams].flatMap(([label, logStreamName]) => {
        const [first, last] = lines.ends(new Set([label]));
        if (!first || !last || !logStreamName.startsWith(String(input.logStreamNamePrefix ?? ''))) return [];
        return {
          logStreamName,
          arn: cloud.home.arn('logs', `log-group:${group.name}:log-stream:${logStreamName}`),
          creationTime: first.at,
          firstEventTimestamp: first.at,
          lastEventTimestamp: last.at,
          lastIngestionTime: last.at,
          uploadSequenceToken: 'simulated',
          storedBytes: 0,
        };
      });
      const { page, next } = paginate(streams, input.nextToken, Number(input.limit ?? PAGE));
      return { logStreams: page, ...(next !== undefined && { nextToken: next }) };
    },
    FilterLogEvents: (input) => {
      const { streams } = groupOf(input);
      const { logStreamNames = [...streams.values()], logStreamNamePrefix = '' } = input;
      const read = [...streams].filter(
        ([, stream]) =>
          (logStreamNames as readonly string[]).includes(stream) && stream.startsWith(String(logStreamNamePrefix)),
      );
      const { found, next } = lines.find(new Map(read), {
        ...between(input),
        fits: parseFilterPattern(String(input.filterPattern ?? '')),
        after: input.nextToken,
        limit: Number(input.limit ?? MOST_EVENTS),
      });
      const events = found.map((line) => ({
        logStreamName: streams.get(line.fn),
        eventId: lines.assignId(line),
        ...toLogEvent(line),
      }));
      return { events, searchedLogStreams: [], ...(next !== undefined && { nextToken: next }) };
    },
    GetLogEvents: (input) => {
      const labels = [...groupOf(input).streams].flatMap(([label, name]) =>
        name === input.logStreamName ? label : [],
      );
      if (lines.ends(new Set(labels)).length === 0)
        throw new Refused('ResourceNotFoundException', 'The specified log stream does not exist.');
      return lines.page(new Set(labels), input);
    },
    // A result is there at once: the model asks nobody to wait.
    StartQuery: (input) => {
      const groups = namesOf(input).map((name) => groupOf({ logGroupName: name }));
      const labels = new Map(groups.flatMap(({ streams }) => [...streams]));
      const seconds = { startTime: Number(input.startTime) * 1000, endTime: Number(input.endTime) * 1000 + 999 };
      const all = { ...between(seconds), fits: () => true, after: undefined, limit: Number.POSITIVE_INFINITY };
      const { found } = lines.find(labels, all);
      try {
        const queryId = cloud.world.random.id();
        results.set(queryId, runQuery(String(input.queryString), found).slice(0, Number(input.limit ?? MOST_EVENTS)));
        return { queryId };
      } catch (error) {
        if (!(error instanceof MalformedQuery)) throw error;
        throw new Refused('MalformedQueryException', error.message);
      }
    },
    GetQueryResults: ({ queryId }) => {
      const found = results.get(String(queryId));
      if (!found) throw new Refused('ResourceNotFoundException', 'The specified query does not exist.');
      return { status: 'Complete', results: found, statistics: { recordsMatched: found.length } };
    },
  };
}

/** Log groups of a query: one, or a list of at most 50 ("StartQuery"). */
function namesOf({ logGroupName, logGroupNames, logGroupIdentifiers }: Input): readonly string[] {
  const names = (logGroupNames ?? logGroupIdentifiers ?? [logGroupName]) as readonly unknown[];
  const named = names.filter((name): name is string => typeof name === 'string');
  if (named.length === 0 || named.length > MOST_GROUPS)
    throw new Refused('InvalidParameterException', `A query has from 1 to ${MOST_GROUPS} log groups.`);
  return named;
}

const toLogEvent = ({ at, text }: LogLine) => ({ timestamp: at, message: text, ingestionTime: at });

const between = ({ startTime = 0, endTime = Number.POSITIVE_INFINITY }: Input) => ({
  from: Number(startTime),
  to: Number(endTime),
});

interface Search {
  /** Milliseconds since 1970; both ends are included. */
  readonly from: number;
  readonly to: number;
  readonly fits: (text: string) => boolean;
  /** Token of an earlier page. */
  readonly after: unknown;
  readonly limit: number;
}

/** The lines of all functions, in the order of time; old ones may go away. */
class Lines {
  private readonly ids = new WeakMap<LogLine, string>();
  private named = 0;

  constructor(private readonly lines: readonly LogLine[]) {}

  /** Returns an id of 56 digits, as AWS's are: equal for the same line. */
  assignId(line: LogLine): string {
    const id = this.ids.get(line) ?? String(++this.named).padStart(56, '0');
    this.ids.set(line, id);
    return id;
  }

  /** Returns the first and the last line of these functions; none if nothing has been logged. */
  ends(labels: Labels): readonly LogLine[] {
    const first = this.lines.find(({ fn }) => labels.has(fn));
    const last = this.lines.findLast(({ fn }) => labels.has(fn));
    return first && last ? [first, last] : [];
  }

  find(labels: Labels, { from, to, fits, after, limit }: Search): { found: readonly LogLine[]; next?: string } {
    const found: LogLine[] = [];
    const [time, id] = after === undefined ? [] : String(after).split('/');
    let passed = id === undefined;
    for (let at = this.firstFrom(time === undefined ? from : Number(time)); at < this.lines.length; at++) {
      const line = this.lines[at] as LogLine;
      if (line.at > to) break;
      if (!passed) {
        passed = this.assignId(line) === id;
        continue;
      }
      if (!labels.has(line.fn) || !fits(line.text)) continue;
      found.push(line);
      if (found.length === limit) return { found, next: `${line.at}/${this.assignId(line)}` };
    }
    return { found };
  }

  /**
   * Returns a page of a stream: from its end backwards, or from its head on. A token is a place in the stream; at the
   * end, the same token comes again. "GetLogEvents".
   */
  page(labels: Labels, input: Input): object {
    const { from, to } = between(input);
    const { startFromHead = false, nextToken, limit = MOST_EVENTS } = input;
    const all = this.lines.slice(this.firstFrom(from)).filter(({ at, fn }) => at <= to && labels.has(fn));
    const size = Number(limit);
    const [, way = startFromHead === true ? 'f' : 'b', place] = /^([fb])\/(\d+)$/.exec(String(nextToken ?? '')) ?? [];
    const edge = place === undefined ? (way === 'f' ? 0 : all.length) : Number(place);
    const [start, end] = way === 'f' ? [edge, Math.min(all.length, edge + size)] : [Math.max(0, edge - size), edge];
    return {
      events: all.slice(start, end).map(toLogEvent),
      nextForwardToken: `f/${end}`,
      nextBackwardToken: `b/${start}`,
    };
  }

  /** Returns the place of the first line at or after a time. */
  private firstFrom(time: number): number {
    let [low, high] = [0, this.lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.lines[middle] as LogLine).at < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function listGroups({ deployment: { assembly }, functions }: Account): ReadonlyMap<string, Group> {
  const streams = new Map<string, Map<string, string>>();
  for (const { logGroup, logStream, label } of functions.values()) {
    streams.set(logGroup, (streams.get(logGroup) ?? new Map<string, string>()).set(label, logStream));
  }
  const days = new Map<string, number | undefined>();
  for (const { ref, properties } of assembly.findByType('AWS::Logs::LogGroup')) {
    const { RetentionInDays } = properties;
    days.set(ref, RetentionInDays === undefined ? undefined : Number(RetentionInDays));
  }
  const names = [...new Set([...streams.keys(), ...days.keys()])].sort();
  return new Map(
    names.map((name) => [
      name,
      { name, streams: streams.get(name) ?? new Map<string, string>(), days: days.get(name) },
    ]),
  );
}
