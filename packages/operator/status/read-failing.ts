import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { appTitle } from '@orderly/kit/internal/aws/app-names.js';
import { Metric } from '@orderly/kit/internal/aws/metric-names.js';
import type { FunctionDescription } from '@orderly/kit/internal/base/outputs.js';
import { MAX_RECORD_AGE_SECONDS } from '@orderly/kit/internal/outbox/limits.js';
import { clientConfig, type Endpoint } from '../deployment/endpoint.js';
import { groupBy } from '../records/group-by.js';
import { type ErrorLine, RETRY_MESSAGES, readErrorLines } from './error-lines.js';
import { judgeFunction } from './failing.js';
import { CALLS_LOOKBACK_SECONDS, findServicesThatCounted, readCalls, readFailedCalls } from './function-calls.js';
import type { ConsumerState, FailingFunction, FunctionKind, RelayState } from './status-facts.js';

/** Facts that a status knows already of an environment. */
export interface KnownState {
  readonly app: string;
  readonly environment: string;
  readonly endpoint: Endpoint;
  /** Beginning of the names of the environment's stacks. */
  readonly prefix: string;
  /** ISO 8601. */
  readonly now: string;
  readonly functions: readonly FunctionDescription[];
  readonly consumers: readonly ConsumerState[];
  readonly relays: readonly RelayState[];
  /** Seconds for which a consumer's queue gives a message to its function again, by the consumer's name. */
  readonly triedFor: ReadonlyMap<string, number>;
  /** Replaces places in bundles by places in their sources, where there are source maps. */
  readonly mapFrames: MapFrames;
}

export type MapFrames = (frames: readonly string[]) => readonly string[];

const RELAY_ENTRY = 'kit/outbox/relay';

/** Age of what a relay reads from which on it may have tried before: a stream is read four times a second. */
const RELAY_RETRIES_SECONDS = 2;

/**
 * Reads which functions fail, and with which error. Failed calls are a metric of Lambda. What a consumer or a relay tries again without an error of
 * the call is a metric of the kit, which is asked only where something waits. The log is read only where something failed.
 * @param onUnread called with the error, if the log can't be read
 */
export async function readFailing(
  cloudWatch: CloudWatchClient,
  known: KnownState,
  onUnread: (error: unknown) => void,
): Promise<readonly FailingFunction[]> {
  const { app, environment, endpoint, prefix, now, functions } = known;
  const namespace = `${appTitle(app)}/${environment}`;
  const counted = (metric: string, services: readonly string[]) =>
    findServicesThatCounted(cloudWatch, { namespace, metric, services: [...new Set(services)] }, now);
  const [failed, retrying, unsent] = await Promise.all([
    readFailedCalls(
      cloudWatch,
      functions.map(({ name }) => name),
      now,
    ),
    counted(
      Metric.TRANSIENT_FAILURES,
      known.consumers.filter(hasWork).map(({ service }) => service),
    ),
    counted(
      Metric.EVENTS_UNSENT,
      known.relays.filter(isLate).map(({ service }) => service),
    ),
  ]);
  const suspects = functions.filter(
    ({ name, service, entry, consumer }) =>
      failed.has(name) ||
      (retrying.includes(service) && consumer !== undefined) ||
      (unsent.includes(service) && entry === RELAY_ENTRY),
  );
  if (suspects.length === 0) return [];
  const logs = new CloudWatchLogsClient(clientConfig(endpoint));
  const to = Date.parse(now) + 60_000;
  const names = suspects.map(({ name }) => name);
  const lines = await readErrorLines(logs, { prefix, functions: names, from: to - CALLS_LOOKBACK_SECONDS * 1000, to })
    .catch((error: unknown) => {
      onUnread(error);
      return [];
    })
    .finally(() => logs.destroy());
  const linesOf = groupBy(lines, ({ fn }) => fn);
  const uncounted = names.filter((name) => !failed.has(name) && (linesOf.get(name) ?? []).some(isRetry));
  const calls = new Map([...failed, ...(await readCalls(cloudWatch, uncounted, now))]);
  return suspects.flatMap((description) => {
    const minutes = calls.get(description.name);
    if (!minutes) return [];
    const own = (linesOf.get(description.name) ?? []).map((line) => withSource(line, known.mapFrames));
    return [judgeFunction({ description, minutes, lines: own, isRetry, ...backlogOf(description, known) })];
  });
}

const hasWork = ({ pending, inFlight, parked = 0 }: ConsumerState): boolean => pending + inFlight + parked > 0;

const isLate = ({ lagSeconds = 0 }: RelayState): boolean => lagSeconds >= RELAY_RETRIES_SECONDS;

const isRetry = ({ message = '' }: ErrorLine): boolean => RETRY_MESSAGES.includes(message);

const withSource = (line: ErrorLine, mapFrames: MapFrames): ErrorLine => {
  const [frame] = line.frame === undefined ? [] : mapFrames([line.frame]);
  return { ...line, ...(frame !== undefined && { frame }) };
};

/** Returns what a function is, and what waits for it. */
function backlogOf(
  { service, entry, consumer }: FunctionDescription,
  { consumers, relays, triedFor }: KnownState,
): {
  readonly kind: FunctionKind;
  readonly oldestSeconds?: number | undefined;
  readonly triedForSeconds?: number | undefined;
} {
  if (entry === RELAY_ENTRY) {
    const { lagSeconds } = relays.find((relay) => relay.service === service) ?? {};
    return { kind: 'relay', oldestSeconds: lagSeconds, triedForSeconds: MAX_RECORD_AGE_SECONDS };
  }
  const state = consumers.find((one) => one.service === service && one.consumer === consumer);
  if (!state) return { kind: entry.startsWith('kit/') ? 'other' : 'endpoint' };
  const { kind, oldestSeconds } = state;
  // The kit's functions of a consumer drain its dead letters, sweep or hand out; its own one reads its queue.
  const readsQueue = !entry.startsWith('kit/') && kind !== 'inbox';
  return { kind, oldestSeconds, triedForSeconds: readsQueue ? triedFor.get(state.consumer) : undefined };
}
