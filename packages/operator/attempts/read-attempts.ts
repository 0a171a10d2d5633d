import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  paginateDescribeLogGroups,
  StartQueryCommand,
  type StartQueryCommandInput,
} from '@aws-sdk/client-cloudwatch-logs';
import type { CommandContext } from '../cli/context.js';
import { clientConfig } from '../deployment/endpoint.js';
import { stackPrefix } from '../deployment/stacks.js';
import { parseAttemptLine } from './attempt-lines.js';
import { type Attempts, findAttempts } from './attempts.js';

/** Question about attempts. */
export interface AttemptQuery {
  readonly correlationIds: readonly string[];
  /** Time of the first commit, ISO 8601, UTC. Everything since then is looked at. */
  readonly since: string;
}

/** Attempts, or why they could not be read. */
export interface FoundAttempts {
  readonly attempts: Attempts;
  /** Why the logs could not be read. */
  readonly unread?: string;
  /** Whether there were more lines than one answer has: then the first ones are shown. */
  readonly isPartial?: boolean;
}

/** Reads the attempts at messages of some correlation ids. */
export type AttemptReader = (query: AttemptQuery) => Promise<FoundAttempts>;

/** Log groups of one query ("StartQuery", logGroupNames). */
const MOST_GROUPS = 50;
/** Rows of one answer. */
const MOST_LINES = 10_000;
/** Correlation ids of one query; an order has a handful. */
const MOST_IDS = 100;
/** Milliseconds by which clocks of functions and of a commit may differ. */
const SKEW = 60_000;
/** Milliseconds between two looks at a query that runs, and how often it is looked at: 20 seconds in all. */
const PAUSE = 400;
const LOOKS = 50;

/**
 * Returns how the attempts of an environment are read: one query of CloudWatch Logs Insights over the log groups of its stacks, or
 * one for each 50 of them. It costs what AWS charges for the bytes of these logs since the first commit. What can't be read is unread, and no error.
 */
export const createAttemptReader =
  ({
    app,
    environment,
    endpoint,
    clock,
  }: Pick<CommandContext, 'app' | 'environment' | 'endpoint' | 'clock'>): AttemptReader =>
  async (query) => {
    const client = new CloudWatchLogsClient(clientConfig(endpoint));
    try {
      return await readAttempts(client, { prefix: stackPrefix(app, environment), now: clock.now(), ...query });
    } catch (error) {
      return {
        attempts: new Map(),
        unread: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      };
    } finally {
      client.destroy();
    }
  };

/** @param where `prefix`: beginning of the log groups' names; `now`: ISO 8601, UTC. @throws errors of CloudWatch Logs */
export async function readAttempts(
  client: Pick<CloudWatchLogsClient, 'send'>,
  { prefix, now, correlationIds, since }: AttemptQuery & { readonly prefix: string; readonly now: string },
): Promise<FoundAttempts> {
  const ids = correlationIds.filter(isPlain).slice(0, MOST_IDS);
  if (ids.length === 0) return { attempts: new Map() };
  const names: string[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups(
    { client: client as CloudWatchLogsClient },
    { logGroupNamePrefix: prefix },
  ))
    names.push(...logGroups.flatMap(({ logGroupName }) => logGroupName ?? []));
  if (names.length === 0) return { attempts: new Map(), unread: `there is no log group ${prefix}...` };
  const listed = ids.map((id) => JSON.stringify(id)).join(', ');
  const query = {
    startTime: Math.floor((Date.parse(since) - SKEW) / 1000),
    endTime: Math.ceil((Date.parse(now) + SKEW) / 1000),
    queryString: `fields @message | filter correlationId in [${listed}] | sort @timestamp asc | limit ${MOST_LINES}`,
  };
  const texts: string[] = [];
  let isPartial = false;
  for (let from = 0; from < names.length; from += MOST_GROUPS) {
    const answer = await runQuery(client, { ...query, logGroupNames: names.slice(from, from + MOST_GROUPS) });
    if ('unread' in answer) return { attempts: new Map(), ...answer };
    texts.push(...answer.texts);
    isPartial ||= answer.texts.length === MOST_LINES;
  }
  const attempts = findAttempts(texts.flatMap((text) => parseAttemptLine(text.trim()) ?? []));
  return { attempts, ...(isPartial && { isPartial }) };
}

/** Runs one query to its end. @returns the lines that it finds, or why there are none */
async function runQuery(
  client: Pick<CloudWatchLogsClient, 'send'>,
  query: StartQueryCommandInput,
): Promise<{ readonly texts: readonly string[] } | { readonly unread: string }> {
  const { queryId } = await client.send(new StartQueryCommand(query));
  for (let look = 0; look < LOOKS; look++) {
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === 'Complete')
      return { texts: results.flatMap((row) => row.find(({ field }) => field === '@message')?.value ?? []) };
    if (status !== 'Running' && status !== 'Scheduled') return { unread: `the query of the logs ended as ${status}` };
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return { unread: `the query of the logs runs for more than ${(LOOKS * PAUSE) / 1000} s` };
}

/** Whether an id can stand in a query as it is: a client chooses its own correlation id. */
const isPlain = (id: string): boolean => /^[\w.:@/-]+$/.test(id);
