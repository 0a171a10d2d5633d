import { Annotations, type Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { LEAST_QUEUE_CONCURRENCY } from '../base/concurrency.js';
import { isUtc, toEntries } from '../base/dedupe-window.js';
import type { ServiceFunction } from '../base/service-function.construct.js';
import type { DedupeWindowSetting } from '../base/settings.js';
import { RELAY } from '../failures/contract.js';
import { isEventSubscription, type Subscription } from '../messages/subscriptions.js';

/** Properties of a consumer that are checked at synth. */
interface CheckedConsumer {
  readonly name: string;
  readonly subscribesTo: readonly Subscription[];
  readonly since: string | undefined;
  readonly handler: ServiceFunction;
  readonly dedupeWindow: DedupeWindowSetting;
  readonly longestRedelivery: Duration;
  /** Batches that the queue has in flight at once. */
  readonly maxConcurrency: number;
}

/** Adds an error to the consumer for each fault, so that it can't be deployed. */
export function checkConsumer(consumer: Construct, consumerProps: CheckedConsumer): void {
  const faults = [findNameFaults, findSubscriptionFaults, findSinceFaults, findWindowFaults, findConcurrencyFaults];
  for (const fault of faults.flatMap((find) => find(consumerProps))) Annotations.of(consumer).addError(fault);
}

/**
 * Refuses a malformed name. In keys, `@` follows the name, so a permission on keys with this prefix cannot match
 * another consumer's keys.
 */
function findNameFaults({ name }: CheckedConsumer): readonly string[] {
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(name)) {
    return [`name '${name}' is not 1 to 63 of a-z, 0-9 and -, beginning with a letter`];
  }
  return name === RELAY ? [`name '${RELAY}' is the relay's own: their failure records would mix`] : [];
}

/** Refuses a misspelt event type, which would never arrive and which nobody would miss, and a subscription without types. */
function findSubscriptionFaults({ subscribesTo }: CheckedConsumer): readonly string[] {
  if (subscribesTo.length === 0) return ['subscribesTo is empty: a consumer listens to something'];
  return subscribesTo.filter(isEventSubscription).flatMap(({ contract, types }) => {
    const known = Object.keys(contract.events);
    if (types.length === 0)
      return [`subscribesTo has no event of ${contract.service}: name at least one of ${known.join(', ')}`];
    return types
      .filter((type) => !known.includes(type))
      .map(
        (type) => `event type '${type}' is not in the contract of ${contract.service}, which has: ${known.join(', ')}`,
      );
  });
}

/**
 * Refuses a time that is malformed, or in the future: records that the consumer writes before it would expire before the age gate
 * closes, and a replay would have their effects for the second time.
 */
function findSinceFaults({ since }: CheckedConsumer): readonly string[] {
  if (since === undefined) return [];
  if (!isUtc(since))
    return [`since '${since}': expected a date or a time in UTC, as 2026-12-01 or 2026-12-01T08:00:00Z`];
  if (Date.parse(since) <= Date.now()) return [];
  return [`since '${since}' is in the future: expected a time before the first deployment of this name and generation`];
}

/** Refuses a window that is shorter than the longest redelivery. Otherwise a late duplicate would be processed twice. */
function findWindowFaults({ dedupeWindow, longestRedelivery }: CheckedConsumer): readonly string[] {
  return toEntries(dedupeWindow)
    .filter(({ window }) => window.toSeconds() <= longestRedelivery.toSeconds())
    .map(
      ({ window }) =>
        `dedupeWindow of ${days(window)} days is not longer than the longest redelivery (${days(longestRedelivery)} days: bus, queue and dead-letter queue)`,
    );
}

/** Maximum concurrency that SQS event sources take. AWS Lambda, "Configuring scaling behavior for SQS event source mappings". */
const CONCURRENCY = { least: LEAST_QUEUE_CONCURRENCY, most: 1_000 };

/** Returns the fault of a maximum concurrency of a queue's function; `undefined` for one that AWS accepts. */
export const findConcurrencyFault = (name: string, value: number): string | undefined =>
  isConcurrency(value) ? undefined : `${name} is ${value}: expected ${CONCURRENCY.least} to 1,000`;

/** Returns the value, or the nearest one that CDK renders: synth continues and reports all faults. */
export const clampConcurrency = (value: number): number => (isConcurrency(value) ? value : CONCURRENCY.least);

const isConcurrency = (value: number): boolean =>
  Number.isSafeInteger(value) && value >= CONCURRENCY.least && value <= CONCURRENCY.most;

/**
 * Refuses a concurrency that AWS refuses, and a reserved concurrency below the queue's. A batch that Lambda throttles still counts as received, so
 * throttling would use up the messages' receives.
 */
function findConcurrencyFaults({ handler, maxConcurrency }: CheckedConsumer): readonly string[] {
  const fault = findConcurrencyFault('maxConcurrency', maxConcurrency);
  if (fault !== undefined) return [fault];
  const { reservedConcurrency = maxConcurrency } = handler;
  if (reservedConcurrency >= maxConcurrency) return [];
  return [
    `reservedConcurrency of ${reservedConcurrency} is below the ${maxConcurrency} batches that its queue hands it at once: take ${maxConcurrency} or more`,
  ];
}

const days = (duration: Duration): number => duration.toDays({ integral: false });
