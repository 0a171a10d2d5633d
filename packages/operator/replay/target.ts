import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { findOutlivedWindow } from '@orderly/kit/internal/aws/dedupe-window.js';
import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import type { Delivery } from '../audit/deliveries.js';
import { OperatorError } from '../cli/errors.js';
import { findListeners, type Service } from '../deployment/services.js';

/** The consumer to which events are replayed. */
export interface ReplayTarget {
  readonly service: Service;
  readonly consumer: ConsumerDescription;
  /** Time of the first deployment of its name and generation, if its stack says it and nothing contradicts it. */
  readonly since: string | undefined;
  /** Why `since` is not what the stack says, as a sentence. */
  readonly doubt: string | undefined;
}

/** Time between the creation of a queue and the time that its stack declares, at most. The age gate allows a day, too. */
const DECLARATION_SECONDS = 86_400;

/**
 * Finds the consumer of a replay.
 * @param createdAt returns when a queue was created, in ISO 8601
 * @throws {OperatorError} `not-found`; `refused` for a relay, a projection, or a name that two services have
 */
export async function findTarget(
  services: readonly Service[],
  name: string,
  createdAt: (queueUrl: string) => Promise<string | undefined>,
): Promise<ReplayTarget> {
  const [listener, other] = findListeners(services, name);
  const { service, consumer } = listener ?? {};
  if (!service || !consumer) {
    throw new OperatorError('refused', `Not replayed: '${name}' publishes commits, and receives no events.`, [
      'failures',
      'list',
      '--consumer',
      name,
    ]);
  }
  if (other) {
    throw new OperatorError(
      'refused',
      `Not replayed: ${service.name} and ${other.service.name} both have a consumer '${name}'.`,
    );
  }
  if (consumer.projection) {
    throw new OperatorError(
      'refused',
      `Not replayed: '${name}' is a projection. Its rows are rebuilt from the feed beside the current ones, while events come.`,
      ['projections', 'rebuild', name],
    );
  }
  return { service, consumer, ...(await deployedSince(consumer, createdAt)) };
}

/**
 * Returns since when a consumer is deployed. A queue that is older than that shows that the name was deployed before: then
 * records of it may have expired. A higher generation begins later than its queue.
 */
async function deployedSince(
  { since, generation, queueUrl }: ConsumerDescription,
  createdAt: (queueUrl: string) => Promise<string | undefined>,
): Promise<Pick<ReplayTarget, 'since' | 'doubt'>> {
  if (since === undefined) return { since, doubt: undefined };
  const created = generation === 0 ? await createdAt(queueUrl) : since;
  if (created !== undefined && secondsBetween(created, since) <= DECLARATION_SECONDS)
    return { since, doubt: undefined };
  const doubt =
    created === undefined
      ? `Its stack says that it is deployed since ${since}, but its queue can't be read.`
      : `Its stack says that it is deployed since ${since}, but its queue exists since ${created}.`;
  return { since: undefined, doubt };
}

/**
 * Whether a duplicate of a message would be recognised: each record that the consumer may have of it still exists.
 * @param when time of the delivery, ISO 8601
 */
export const isRecognised = ({ consumer, since }: ReplayTarget, { commit, message }: Delivery, when: string): boolean =>
  // The cursor of a sequential inbox never expires.
  consumer.inbox?.mode === 'sequential' ||
  findOutlivedWindow(consumer.dedupeWindowSeconds, {
    time: commit.at,
    now: when,
    since: message.to === undefined ? since : undefined,
  }) === undefined;
