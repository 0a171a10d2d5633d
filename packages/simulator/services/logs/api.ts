import type { Assembly } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Operations, paginate, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { LambdaFunction, LogLine } from '../lambda/model.js';
import { parseFilterPattern } from './filter-pattern.js';

/** Every function logs to one stream; its environment variable `AWS_LAMBDA_LOG_STREAM_NAME` names it, too. */
const STREAM = 'simulated';
const MOST_EVENTS = 10_000;
const PAGE = 50;

/** A log group, and the labels of the functions that log to it. */
interface Group {
  readonly name: string;
  readonly labels: ReadonlySet<string>;
  readonly days: number | undefined;
}

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
      const [first, last] = lines.ends(group);
      if (!first || !last || !STREAM.startsWith(String(input.logStreamNamePrefix ?? ''))) return { logStreams: [] };
      const stream = {
        logStreamName: STREAM,
        arn: cloud.home.arn('logs', `log-group:${group.name}:log-stream:${STREAM}`),
        creationTime: first.at,
        firstEventTimestamp: first.at,
        lastEventTimestamp: last.at,
        lastIngestionTime: last.at,
        uploadSequenceToken: 'simulated',
        storedBytes: 0,
      };
      return { logStreams: [stream] };
    },
    FilterLogEvents: (input) => {
      const group = groupOf(input);
      const { logStreamNames = [STREAM], logStreamNamePrefix = '' } = input;
      const fits = parseFilterPattern(String(input.filterPattern ?? ''));
      const isRead =
        (logStreamNames as readonly string[]).includes(STREAM) && STREAM.startsWith(String(logStreamNamePrefix));
      const { found, next } = lines.find(group, {
        ...between(input),
        fits: (text) => isRead && fits(text),
        after: input.nextToken,
        limit: Number(input.limit ?? MOST_EVENTS),
      });
      const events = found.map((line) => ({
        logStreamName: STREAM,
        eventId: lines.assignId(line),
        ...toLogEvent(line),
      }));
      return { events, searchedLogStreams: [], ...(next !== undefined && { nextToken: next }) };
    },
    GetLogEvents: (input) => {
      const group = groupOf(input);
      if (input.logStreamName !== STREAM || lines.ends(group).length === 0)
        throw new Refused('ResourceNotFoundException', 'The specified log stream does not exist.');
      return lines.page(group, input);
    },
  };
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

  /** Returns the first and the last line of a group; none if nothing has been logged. */
  ends({ labels }: Group): readonly LogLine[] {
    const first = this.lines.find(({ fn }) => labels.has(fn));
    const last = this.lines.findLast(({ fn }) => labels.has(fn));
    return first && last ? [first, last] : [];
  }

  find({ labels }: Group, { from, to, fits, after, limit }: Search): { found: readonly LogLine[]; next?: string } {
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
  page({ labels }: Group, input: Input): object {
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
  const labels = new Map<string, Set<string>>();
  for (const fn of functions.values()) {
    labels.set(fn.logGroup, (labels.get(fn.logGroup) ?? new Set()).add(fn.label));
  }
  const days = new Map<string, number | undefined>();
  for (const { ref, properties } of assembly.findByType('AWS::Logs::LogGroup')) {
    const { RetentionInDays } = properties;
    days.set(ref, RetentionInDays === undefined ? undefined : Number(RetentionInDays));
  }
  const names = [...new Set([...labels.keys(), ...days.keys()])].sort();
  return new Map(names.map((name) => [name, { name, labels: labels.get(name) ?? new Set(), days: days.get(name) }]));
}
