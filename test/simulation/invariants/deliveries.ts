import { APP } from '../../../lambdas/app.js';
import { createOrderContract } from '../../../lambdas/orders/saga-contract.js';
import { webhooksContract } from '../../../lambdas/webhooks/contract.js';
import { eventSource } from '../../../packages/kit/aws/app-names.js';
import { bodyHashId } from '../../../packages/kit/failures/delivery.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { listTypesOffBus } from '../../../packages/kit/messages/contract.js';
import { messageIdOf, readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { listRecordKeys } from '../../../packages/operator/deployment/services.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { type Commit, type Facts, idIn, isCommit, type QueueListener } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/** Outcome of each commit and each event: G1, G3 and G5. */
export const deliveries: Check = (facts) => [
  ...published(facts),
  ...committed(facts),
  ...processed(facts),
  ...carriedOut(facts),
  ...oneEffect(facts),
  ...deletedWithReason(facts),
];

/** Events of sagas and of webhooks stay inside of their services; a release before may publish those of sagas all the same. */
const OFF_BUS: ReadonlySet<string> = new Set(listTypesOffBus([createOrderContract, webhooksContract]));

/** G1, G5: a commit is published, its commands with its events, or visible as failed. */
const published: Check = (facts) =>
  facts.commits.flatMap((commit) => {
    if (facts.isVisibleAsUnpublished(commit)) return [];
    const id = commit.pk.slice(commit.pk.indexOf('#') + 1);
    const staysInside = commit.pk.startsWith('CreateOrderSaga#') || commit.pk.startsWith('Webhook#');
    const events = commit.events.filter(({ type }) => !(staysInside && OFF_BUS.has(type)));
    return [...events, ...(commit.commands ?? [])]
      .filter((message) => !facts.published.has(message.id))
      .map(({ type }) =>
        violation('a commit is published, or visible as failed', `${type} of ${commit.pk} ${commit.sk}`, id),
      );
  });

/** A relay publishes only messages of its own service's commits: no service publishes for another. */
const committed: Check = ({ writes, orderly: { services, cloud } }) => {
  const commits = writes.flatMap(({ changes }) =>
    changes.flatMap(({ table, after }) =>
      after && isCommit(after) ? [{ table, ...(after as unknown as Pick<Commit, 'events' | 'commands'>) }] : [],
    ),
  );
  const tables = new Map(
    commits.flatMap(({ table, events, commands = [] }) => [...events, ...commands].map(({ id }) => [id, table])),
  );
  return cloud.events.accepted.flatMap(({ event, by }) => {
    const { id } = event.detail as { id?: string };
    const own = services.find(({ name }) => event.source === eventSource(APP.name, name));
    if (by === undefined || (own && tables.get(id ?? '') === own.table)) return [];
    return [
      violation('a relay publishes what its own service committed', `${event['detail-type']} ${id} by ${by}`, id),
    ];
  });
};

/** G3, G5: each event reached each of its consumers, or is visible as failed or pending. */
const processed: Check = (facts) =>
  facts.listeners.flatMap((listener) =>
    [...facts.published].flatMap(([id, event]) => {
      const receives = listener.consumer.events.some(
        ({ service, types }) => event.source === `orderly.${service}` && types.includes(event['detail-type']),
      );
      if (!receives || facts.delivery(listener, { id }) !== 'missing') return [];
      const { subject } = event.detail as { subject: string };
      return [
        violation(
          'an event is processed, or visible as failed or pending',
          `${event['detail-type']} ${id} at ${listener.name}`,
          idIn(subject),
        ),
      ];
    }),
  );

/** G3, G5: each command reached a consumer of its target service, or is visible as failed or pending there. */
const carriedOut: Check = (facts) =>
  [...facts.published].flatMap(([id, event]) => {
    const { to, subject } = event.detail as { to?: string; subject: string };
    if (to === undefined) return [];
    const takers = facts.listeners.filter(({ service, consumer }) => service.name === to && !consumer.projection);
    if (takers.some((listener) => facts.delivery(listener, { id }) !== 'missing')) return [];
    return [
      violation(
        'a command is carried out, or visible as failed or pending',
        `${event['detail-type']} ${id} to ${to}`,
        idIn(subject),
      ),
    ];
  });

/** G3: one message or request leads to at most one commit of each kind of aggregate. */
const oneEffect: Check = (facts) => {
  const { orders, sagas, reservations, accounts, payments } = facts;
  return [orders, sagas, reservations, accounts, payments].flatMap((aggregates) => {
    const byTrigger = new Map<string, string>();
    return [...aggregates].flatMap(([id, commits]) =>
      commits.flatMap(({ trigger, sk, events }) => {
        // A change of a user's status reviews or releases many orders of theirs, each once.
        const cause = isFannedOut(facts, trigger, events) ? `${trigger} ${id}` : trigger;
        const earlier = byTrigger.get(cause);
        byTrigger.set(cause, `${id} ${sk}`);
        return earlier === undefined
          ? []
          : [violation('a message has one effect', `${trigger}: ${earlier} and ${id} ${sk}`, id)];
      }),
    );
  });
};

/** Whether a commit is the part of one order in a change of its user's status: the start or the release of a review. */
function isFannedOut({ published }: Facts, trigger: string, events: Commit['events']): boolean {
  const { 'detail-type': type, detail } = published.get(trigger) ?? {};
  const [event, ...others] = events;
  if (type !== 'UserStatusChanged' || event === undefined || others.length > 0) return false;
  const { userId, newStatus } = (detail as { data: { userId: string; newStatus: string } }).data;
  const { customerId, outcome } = JSON.parse(event.data) as { customerId?: string; outcome?: string };
  const isPart =
    newStatus === 'ACTIVE'
      ? event.type === 'OrderReviewEnded' && outcome === 'RELEASED'
      : event.type === 'OrderReviewStarted';
  return isPart && customerId === userId;
}

/** G5: a message leaves its queue only after its consumer's record, or the projection, shows its outcome, or a lane has it. */
const deletedWithReason: Check = (facts) =>
  facts.listeners.flatMap((listener) =>
    facts.listQueues(listener).flatMap((queue) =>
      queue.fates.flatMap(({ message, fate, at }) => {
        if (fate !== 'deleted') return [];
        return isAccountedFor(facts, listener, message.body, at) ? [] : [deletedTooEarly(listener, message.body)];
      }),
    ),
  );

function isAccountedFor(facts: Facts, listener: QueueListener, body: string, at: number): boolean {
  const message = read(body);
  const keys = message
    ? listRecordKeys(listener, { ...message, id: messageIdOf(message) })
    : [recordKey(listener, bodyHashId(body))];
  // What is stored for a lane is decided, or visible: another invariant.
  const times = keys.flatMap((key) => [facts.recordedAt.get(key), facts.storedAt.get(key)]);
  if (times.some((time) => time !== undefined && time <= at)) return true;
  return (
    listener.consumer.projection && message !== undefined && (facts.shown.get(message.about) ?? 0) >= message.sequence
  );
}

function deletedTooEarly({ name }: QueueListener, body: string): Violation {
  const { id, about } = read(body) ?? {};
  return violation('no message is deleted without an effect or a record', `${id ?? body} at ${name}`, about);
}

function read(body: string) {
  try {
    const { id, source, to, subject, sequence, epoch } = readEnvelope(body);
    return { id, source, ...(to === undefined ? {} : { to }), subject, about: idIn(subject), sequence, epoch };
  } catch {
    return undefined;
  }
}
