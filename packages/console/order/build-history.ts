import { countAttempts } from '@orderly/operator/attempts';
import { joinAttempts, type Owners } from './attempt-marks.js';
import { beforeDeliveries, commitIdOf, groupCommits, publications, serviceOf } from './commit-marks.js';
import type { CommitMark, DeliveryMark, ForwardMark, History, TimerMark } from './history.js';
import { buildSagas } from './saga-marks.js';
import { attemptKeyOf, type Happening, readStreamedAttempts, type StreamedAttempt } from './streamed-attempts.js';
import { listMessages, type Trace, type TracedMessage } from './trace.js';

/** Sources about one order or one correlation id. A local cloud of any app tells happenings; a trace needs an app that has one. */
export interface Sources {
  readonly id: string;
  readonly trace?: Trace | undefined;
  /** In their order. Those of other correlation ids are left out. */
  readonly happenings?: readonly Happening[];
  /** Number of the last happening before the trace was asked for: what happened until then, and is not in it, is of no message that it counts. */
  readonly tracedUpTo?: number;
}

/**
 * Builds the history of one order or one correlation id. The trace says what was committed and what became of each message; happenings
 * add when an attempt began, its fault, and what is not in the logs yet. It is a pure function.
 */
export function buildHistory({ id, trace, happenings = [], tracedUpTo = 0 }: Sources): History {
  const messages = trace ? listMessages(trace) : [];
  const known = new Set(messages.map((one) => one.id));
  const correlations = new Set([id, ...messages.map(({ correlationId }) => correlationId)]);
  const subjects = new Set(messages.map(({ subject }) => subject));
  // A client may send one correlation id with several orders: what the trace leaves out is shown only if it is about the same subjects.
  const isAbout = ({ number, subject = '' }: Happening): boolean =>
    trace === undefined || number > tracedUpTo || subjects.has(subject);
  const isWanted = (one: Happening): boolean =>
    (one.eventId !== undefined && known.has(one.eventId)) ||
    (one.correlationId !== undefined && correlations.has(one.correlationId) && isAbout(one));
  const streamed = readStreamedAttempts(happenings, isWanted);
  const owners = findOwners(messages, streamed);
  const traced = messages.flatMap((message) => traceDeliveries(message, streamed, owners));
  const written = groupCommits(messages).map((commit) => beforeDeliveries(commit, traced));
  const commits = [...written, ...publications(happenings, isWanted, known)].toSorted(byAt);
  const deliveries = [...traced, ...untracedDeliveries(traced, commits, streamed, owners)].toSorted(
    (one, other) => one.sentAt - other.sentAt,
  );
  // `orderly order` counts the deliveries of messages that commits have, and no timer that rang.
  const newer = new Set(happenings.flatMap(({ number, eventId }) => (number > tracedUpTo && eventId ? [eventId] : [])));
  const counted = deliveries.filter(({ eventId }) => trace === undefined || known.has(eventId) || newer.has(eventId));
  const attempts = counted.map(({ attempts: own }) =>
    own.flatMap(({ outcome }) => (outcome === undefined ? [] : [{ outcome }])),
  );
  const { unread, isPartial } = trace?.attempts ?? {};
  const gap = unread ?? (isPartial ? 'the logs have more lines than one answer has' : undefined);
  return {
    id,
    title: trace?.title ?? id,
    ...(trace && { verdict: trace.verdict }),
    services: listServices(commits, deliveries),
    commits,
    deliveries,
    timers: messages.flatMap(readTimer),
    sagas: buildSagas(trace?.sagas ?? [], messages),
    forwards: readForwards(happenings, commits),
    counts: countAttempts(attempts),
    doneTwice: trace?.doneTwice ?? 0,
    ...(gap !== undefined && { gap }),
  };
}

const byAt = (one: { readonly at: number }, other: { readonly at: number }): number => one.at - other.at;

/** Finds the function of each consumer, by the attempts that both sources tell of. */
function findOwners(messages: readonly TracedMessage[], streamed: ReadonlyMap<string, StreamedAttempt>): Owners {
  const owners = new Map<string, { readonly consumer: string; readonly service: string }>();
  for (const { hops } of messages)
    for (const { consumer, service, tries = [] } of hops)
      for (const { messageId, receiveCount } of tries) {
        const seen = messageId === undefined ? undefined : streamed.get(attemptKeyOf(messageId, receiveCount ?? 1));
        if (seen) owners.set(seen.owner, { consumer, service });
      }
  return owners;
}

function traceDeliveries(
  message: TracedMessage,
  streamed: ReadonlyMap<string, StreamedAttempt>,
  owners: Owners,
): readonly DeliveryMark[] {
  const sentAt = Date.parse(message.at);
  return message.hops.map((hop) => {
    const { consumer, service, state, tries = [], expiresAt, isStored } = hop;
    // Of what waits, the relay may be the reason.
    const reason = hop.reason ?? (state === 'pending' ? message.publication?.text : undefined);
    const own = [...streamed.values()].filter(
      (one) => one.eventId === message.id && owners.get(one.owner)?.consumer === consumer,
    );
    const attempts = joinAttempts(`${message.id} ${consumer}`, { tries, streamed: own, sentAt });
    const owner = attempts.find((one) => one.owner !== undefined)?.owner ?? ownerOf(owners, consumer);
    return {
      id: `${message.id} ${consumer}`,
      eventId: message.id,
      type: message.type,
      commit: commitIdOf(message),
      consumer,
      service,
      sentAt,
      state,
      ...(reason !== undefined && { reason }),
      isWaiting: state === 'pending' && isStored !== true && !attempts.some(({ look }) => isLast(look)),
      ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
      ...(owner !== undefined && { owner }),
      attempts,
    };
  });
}

const isLast = (look: string): boolean => ['applied', 'duplicate', 'refused', 'answer lost'].includes(look);

const ownerOf = (owners: Owners, consumer: string): string | undefined =>
  [...owners].find(([, one]) => one.consumer === consumer)?.[0];

/** Returns the deliveries that only happenings tell of: of a consumer that the trace has no attempt of yet, or where there is no trace. */
function untracedDeliveries(
  traced: readonly DeliveryMark[],
  commits: readonly CommitMark[],
  streamed: ReadonlyMap<string, StreamedAttempt>,
  owners: Owners,
): readonly DeliveryMark[] {
  const shown = new Set(traced.flatMap(({ attempts }) => attempts.map(({ id }) => id)));
  const commitOf = new Map(commits.flatMap((commit) => commit.messages.map(({ id }) => [id, commit] as const)));
  const groups = new Map<string, StreamedAttempt[]>();
  for (const one of streamed.values()) {
    if (shown.has(one.key)) continue;
    const key = `${one.eventId} ${one.owner}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].flatMap(([id, group]) => {
    const [first] = group;
    const commit = first && commitOf.get(first.eventId);
    if (!first || !commit) return [];
    const { consumer, service } = owners.get(first.owner) ?? {
      consumer: first.owner,
      service: serviceOf(first.owner),
    };
    const attempts = joinAttempts(id, { tries: [], streamed: group, sentAt: commit.at });
    return [
      {
        id,
        eventId: first.eventId,
        type: first.first.type ?? 'message',
        commit: commit.id,
        consumer,
        service,
        sentAt: commit.at,
        state: attempts.some(({ look }) => isLast(look)) ? 'processed' : 'pending',
        isWaiting: false,
        owner: first.owner,
        attempts,
      },
    ];
  });
}

function listServices(commits: readonly CommitMark[], deliveries: readonly DeliveryMark[]): readonly string[] {
  const seen = [
    ...commits.map(({ service, at }) => ({ service, at })),
    ...deliveries.map(({ service, sentAt }) => ({ service, at: sentAt + 0.5 })),
  ];
  return [...new Set(seen.toSorted(byAt).map(({ service }) => service))];
}

/** Details of a saga's timeout are `to <time>` (packages/operator/sagas/saga-text.ts). */
function readTimer(message: TracedMessage): readonly TimerMark[] {
  const due = /^to (\d{4}-[^ :]+:\d\d:[\d.]+Z)/.exec(message.details ?? '')?.[1];
  if (message.type !== 'TimerSet' || due === undefined) return [];
  return [
    {
      id: message.id,
      service: message.service,
      commit: commitIdOf(message),
      at: Date.parse(message.at),
      due: Date.parse(due),
    },
  ];
}

function readForwards(happenings: readonly Happening[], commits: readonly CommitMark[]): readonly ForwardMark[] {
  const begun = commits[0]?.at ?? 0;
  return happenings.flatMap(({ kind, outcome, at, ms = 0 }) =>
    kind === 'time' && outcome === 'forwarded' && at > begun ? [{ from: Math.max(begun, at - ms), to: at }] : [],
  );
}
