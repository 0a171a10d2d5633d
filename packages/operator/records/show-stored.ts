import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { parseIdTime } from '@orderly/kit/internal/aws/ids.js';
import type { Item } from '@orderly/kit/internal/aws/items.js';
import { readItems } from '@orderly/kit/internal/aws/read-items.js';
import type { FunctionDescription } from '@orderly/kit/internal/base/outputs.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import {
  isSubscribed,
  type MessagePosition,
  publishedMessages,
  toMessagePosition,
} from '../audit/published-messages.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { clientConfig } from '../deployment/endpoint.js';
import { parseFunctions } from '../deployment/functions.js';
import { findListeners, type Listener, listListeners, listRecordKeys, type Service } from '../deployment/services.js';
import { stackPrefix } from '../deployment/stacks.js';
import { parseCommits } from './commits.js';
import { readFeed } from './feed.js';
import { groupBy } from './group-by.js';
import { readLogEvents } from './log-events.js';

export interface StoredRequest {
  /** Ids of messages that belong together: of one attempt, the message and what was committed with its effect. */
  readonly ids: readonly string[];
  /** Consumer whose records and lines are shown. @default all that get the messages */
  readonly consumer?: string | undefined;
  /** Time around which lines are looked for, ISO 8601. @default that of the first message */
  readonly at?: string | undefined;
}

/** Items, as JSON, and log lines that name some messages, as they are stored: personal data is sealed there. */
export interface StoredRecords {
  readonly items: readonly { readonly table: string; readonly key: string; readonly item: string }[];
  readonly lines: readonly { readonly at: string; readonly owner: string; readonly line: string }[];
  /** Whether there is more than was read. */
  readonly more: boolean;
  /** Why the log could not be read. */
  readonly unread?: string;
}

/** A commit's ids and its place in the feed are made within this time, unless clocks of functions differ: then within the second one. */
const MARGINS_MS = [250, 5_000];
/** Keys of the feed that are read at most. */
const MOST_KEYS = 2_000;
/** Milliseconds before and after the asked time in which lines are looked for. */
const LINES_AROUND_MS = 60_000;
const MOST_LINES = 50;

/**
 * `stored`: shows what the tables and the logs have of some messages. An id tells its time, so that it reads the feed of a moment, the
 * records by their keys, and two minutes of the logs of the functions concerned.
 * @throws {OperatorError} `not-found` for a consumer that does not exist
 */
export async function showStored(context: CommandContext, request: StoredRequest): Promise<Outcome> {
  const { documents, services } = context;
  const named = request.consumer === undefined ? undefined : findListeners(services, request.consumer);
  const commits = await findCommits(context, request.ids);
  const deliveries = commits.found.flatMap((found) => listDeliveries(found, services, request.ids, named));
  const own = commits.found.map(({ service, item }) => toStoredItem(service.table, item));
  const items = [...own, ...(await readRecordsOf(documents, deliveries))];
  const publishers = named ? [] : commits.found.map(({ service }) => service.name);
  const isConcerned = ({ service, consumer }: FunctionDescription): boolean =>
    publishers.includes(service) ||
    deliveries.some(({ listener }) => listener.service.name === service && listener.name === consumer);
  const log = await readLines(context, request, parseFunctions(context.stacks).filter(isConcerned));
  const { lines, unread } = log;
  const stored = { items, lines, more: commits.more || log.more, ...(unread !== undefined && { unread }) };
  return { exitCode: Exit.OK, text: describe(stored), json: stored };
}

interface FoundCommit {
  readonly service: Service;
  readonly commit: Commit;
  readonly item: Item;
}

/** Ends a search that would read too much. */
class Enough extends Error {
  override readonly name = 'Enough';
}

/** Finds the commits of messages in the feeds of all services, each around the time of its id. */
async function findCommits(
  context: CommandContext,
  ids: readonly string[],
): Promise<{ readonly found: readonly FoundCommit[]; readonly more: boolean }> {
  const found: FoundCommit[] = [];
  let keys = 0;
  const count = (more: number): void => {
    keys += more;
    if (keys > MOST_KEYS) throw new Enough();
  };
  try {
    for (const id of ids) {
      const made = parseIdTime(id) ?? 0;
      for (const margin of MARGINS_MS) {
        if (found.some(({ commit }) => hasMessage(commit, id))) break;
        const span = { from: made - margin, to: made + margin };
        for (const service of context.services) {
          const entries = await readFeed(context, service, span, count);
          const items = await readItems(
            context.documents,
            service.table,
            entries.map(({ pk, sk }) => ({ pk, sk })),
          );
          for (const item of items) {
            const [commit] = parseCommits([item]).commits;
            if (commit && hasMessage(commit, id)) found.push({ service, commit, item });
          }
        }
      }
    }
    return { found, more: false };
  } catch (error) {
    if (error instanceof Enough) return { found, more: true };
    throw error;
  }
}

const hasMessage = ({ events, commands = [] }: Commit, id: string): boolean =>
  [...events, ...commands].some((message) => message.id === id);

interface StoredDelivery {
  readonly listener: Listener;
  readonly position: MessagePosition;
}

/** Returns the deliveries of a commit's messages: those of named listeners, or of all that get them. */
const listDeliveries = (
  { service, commit }: FoundCommit,
  services: readonly Service[],
  ids: readonly string[],
  named: readonly Listener[] | undefined,
): readonly StoredDelivery[] =>
  publishedMessages(commit)
    .filter(({ id }) => ids.includes(id))
    .flatMap((message) => {
      // A relay has a record of a commit that it could not publish.
      const all = listListeners(services).filter((listener) =>
        listener.consumer ? isSubscribed(listener, service.name, message) : listener.service === service,
      );
      const position = toMessagePosition(commit, message);
      return (named ?? all).map((listener) => ({ listener, position }));
    });

/** Reads the records that consumers have of messages. */
async function readRecordsOf(
  documents: CommandContext['documents'],
  deliveries: readonly StoredDelivery[],
): Promise<StoredRecords['items']> {
  const byTable = groupBy(deliveries, ({ listener }) => listener.service.records);
  const read = [...byTable].map(async ([table, own]) => {
    const keys = new Set(own.flatMap(({ listener, position }) => listRecordKeys(listener, position)));
    const items = await readItems(
      documents,
      table,
      [...keys].map((pk) => ({ pk })),
    );
    return items.map((item) => toStoredItem(table, item));
  });
  return (await Promise.all(read)).flat();
}

function toStoredItem(table: string, item: Item): StoredRecords['items'][number] {
  const key = [item.pk, item.sk].filter((part) => typeof part === 'string').join(' / ');
  return { table, key, item: JSON.stringify(toPlain(item)) };
}

/** Returns a value with binary values in Base64, and with sets as lists. */
function toPlain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value) || value instanceof Set) return [...value].map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toPlain(one)]));
}

/** Reads the newest lines of some functions that name a message. What can't be read is unread, and no error. */
async function readLines(
  { app, environment, endpoint }: CommandContext,
  { ids, at }: StoredRequest,
  functions: readonly FunctionDescription[],
): Promise<Pick<StoredRecords, 'lines' | 'more' | 'unread'>> {
  const time = at === undefined ? (parseIdTime(ids[0] ?? '') ?? 0) : Date.parse(at);
  const client = new CloudWatchLogsClient(clientConfig(endpoint));
  try {
    const search = {
      prefix: stackPrefix(app, environment),
      functions: functions.map(({ name }) => name),
      from: time - LINES_AROUND_MS,
      to: time + LINES_AROUND_MS,
      pattern: ids.map((id) => `?"${id}"`).join(' '),
    };
    const { found, more } = await readLogEvents(client, search, ({ at: said, fn, text }) => [
      { at: said, owner: fn, line: text.trim() },
    ]);
    return { lines: found.slice(-MOST_LINES), more: more || found.length > MOST_LINES };
  } catch (error) {
    return {
      lines: [],
      more: false,
      unread: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  } finally {
    client.destroy();
  }
}

function describe({ items, lines, more, unread }: StoredRecords): string {
  return [
    ...items.flatMap(({ table, key, item }) => [`${key} in ${table}`, `  ${item}`]),
    ...(items.length === 0 ? ['No item names it.'] : []),
    '',
    ...lines.map(({ at, owner, line }) => `${at} ${owner}\n  ${line}`),
    ...(lines.length === 0
      ? [unread === undefined ? 'No log line names it.' : `The log can't be read: ${unread}`]
      : []),
    ...(more ? ['There is more than this shows.'] : []),
  ].join('\n');
}
