import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { formatDuration } from '../cli/text-format.js';
import { LOOKBACK_SECONDS, PERIOD, type RelayReading, readMetrics } from '../status/metrics.js';
import { clientConfig, currentTime, type Endpoint } from './endpoint.js';
import type { Service } from './services.js';

/** Where the relays of services were in their streams, as far as their metrics tell it. */
export interface Relays {
  /** Time at which the metrics were read, ISO 8601, UTC. */
  readonly now: string;
  /** By service; absent for a relay that has read nothing lately. */
  readonly readings: ReadonlyMap<string, RelayReading>;
  /** Why the metrics could not be read. */
  readonly unread?: string;
}

/** Reads where the relays of some services are. */
export type RelayReader = (services: readonly Service[]) => Promise<Relays>;

/**
 * Whether a message is on the bus, and so in the queues of its consumers unless they have taken it.
 * - `published`: it has reached a consumer, or its relay has read past it.
 * - `waiting`: its relay has not read past it, and is behind.
 * - `unknown`: nothing tells it, or not yet.
 */
export interface Publication {
  readonly state: 'published' | 'waiting' | 'unknown';
  /** Sentence that says so, with its evidence. */
  readonly text: string;
}

/**
 * Seconds by which a commit is older than what a relay has read, so that the relay counts as past it. One read has commits of some
 * seconds, and its age is that of the last one; the stream has times in whole seconds; and clocks differ. A relay that is less behind
 * than this is not behind.
 */
const MARGIN_SECONDS = 10;

/** Seconds until CloudWatch has the values of a minute. Within them, a relay that fails has tried again. */
const SETTLED_SECONDS = 180;

/** Returns how an endpoint's relays are asked. What CloudWatch refuses is unread, and no error. */
export const createRelayReader =
  (endpoint: Endpoint): RelayReader =>
  async (services) => {
    const client = new CloudWatchClient(clientConfig(endpoint));
    try {
      return await readRelays(client, services, currentTime(endpoint));
    } finally {
      client.destroy();
    }
  };

/** Reads the newest ages of what relays read. @param now ISO 8601, UTC */
export async function readRelays(
  client: CloudWatchClient,
  services: readonly Pick<Service, 'name' | 'relay'>[],
  now: string,
): Promise<Relays> {
  const asked = { queues: [], relays: services.map(({ relay }) => relay), sweepers: [] };
  try {
    const { lag } = await readMetrics(client, asked, now);
    const readings = services.flatMap(({ name, relay }) => {
      const reading = lag.get(relay);
      return reading ? [[name, reading] as const] : [];
    });
    return { now, readings: new Map(readings) };
  } catch (error) {
    return { now, readings: new Map(), unread: error instanceof Error ? error.name : String(error) };
  }
}

/**
 * Judges whether the relay of a service has published a commit, of which no consumer has anything. It is a pure function.
 *
 * The metric is the largest age of what the relay read in a minute. A read that fails is tried again within a minute, and older each
 * time. So a relay that has read commits of `minute - lag` is past all older ones, in each of its reads:
 *
 *     commit         minute - lag         minute
 *     published      the slowest read     now: waits, if the relay is behind
 *
 * @param at time of the commit, ISO 8601
 */
export function judgePublication({ now, readings, unread }: Relays, service: string, at: string): Publication {
  if (unread !== undefined) return unknownPublication(`the metric of the relay can't be read (${unread})`);
  const reading = readings.get(service);
  if (!reading) {
    return unknownPublication(
      `the relay has read nothing for ${formatDuration(LOOKBACK_SECONDS)}. Everything is published, unless it is switched off or throttled`,
    );
  }
  const { minute, lagSeconds } = reading;
  const ended = new Date(Date.parse(minute) + PERIOD * 1000).toISOString();
  if (secondsBetween(at, ended) <= 0) return unknownPublication(`the newest metric of the relay is older (${minute})`);
  if (secondsBetween(at, minute) > lagSeconds + MARGIN_SECONDS) {
    return {
      state: 'published',
      text: `published: the relay has read past it (${describeLag(lagSeconds)} at ${minute})`,
    };
  }
  if (secondsBetween(ended, now) > SETTLED_SECONDS) {
    const text = `published: the relay has read at ${minute}, and has had nothing to try again since`;
    return { state: 'published', text };
  }
  if (lagSeconds >= MARGIN_SECONDS) {
    return { state: 'waiting', text: `not published: it waits for the relay, which is ${describeLag(lagSeconds)}` };
  }
  return unknownPublication(`the newest metric of the relay is of the same time (${minute})`);
}

const unknownPublication = (why: string): Publication => ({
  state: 'unknown',
  text: `not known whether it is published: ${why}`,
});

const describeLag = (seconds: number): string =>
  seconds < MARGIN_SECONDS ? 'not behind' : `up to ${formatDuration(seconds)} behind`;
