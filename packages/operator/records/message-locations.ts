import type { ConsumerDescription } from '@orderly/kit/internal/base/outputs.js';
import type { Listener, Service } from '../deployment/services.js';

/** Facts about a message at its place. */
export const RECORDED_STATES = ['processed', 'discarded', 'pending', 'failed'] as const;
export type RecordedState = (typeof RECORDED_STATES)[number];

/**
 * Places in which a message of a consumer can be, from its commit to its end. Whoever looks for a message (the audit, `order`,
 * `trace`, `status`, a replay, a redrive) asks {@link LOCATION_RULES}, so a place that is added here is known to all of them.
 *
 * - `outbox`: the stream of its table. Its relay has not read it yet.
 * - `publication`: the failure record of its commit. Its relay could not publish it.
 * - `queue`: the queue of its consumer.
 * - `lane`: stored for a lane, whose writer has not read it yet.
 * - `inbox`, `window`, `timer`: its record, which waits to be processed.
 * - `failure`: its record. `repeated`: a record for which that of an earlier command of the same step stands.
 * - `processed`, `discarded`: its record, which has ended.
 * - `row`: the row of a projection, which keeps no records.
 */
export type MessageLocation =
  | 'outbox'
  | 'publication'
  | 'queue'
  | 'lane'
  | 'inbox'
  | 'window'
  | 'timer'
  | 'failure'
  | 'repeated'
  | 'processed'
  | 'discarded'
  | 'row';

/** Messages that wait somewhere without a record: how many nobody knows by their ids, but how old the oldest one is. */
export type Backlog =
  | { readonly kind: 'queue'; readonly url: string }
  /** @param reader name of the function that reads the stream */
  | { readonly kind: 'stream'; readonly reader: string };

/** Description of a place. */
interface PlaceRule {
  /** Statement that holds for each message at the place. */
  readonly state: RecordedState;
  /** Where it is, in words: `it waits in its queue`. */
  readonly words: string;
  /** Whether an operator may send it again by `failures redrive`. */
  readonly mayRedrive: boolean;
  /** Returns the backlog of a listener in which a message of a service may be. Only for a place without records. */
  readonly findBacklog?: (listener: Pick<Listener, 'consumer'>, from: Pick<Service, 'relay'>) => Backlog | undefined;
}

/** Description of each place. A place without an entry does not compile. */
export const LOCATION_RULES: Readonly<Record<MessageLocation, PlaceRule>> = {
  outbox: {
    state: 'pending',
    words: 'its relay has not read it yet',
    mayRedrive: false,
    findBacklog: (_, { relay }) => (relay === '' ? undefined : { kind: 'stream', reader: relay }),
  },
  publication: { state: 'failed', words: 'its relay could not publish it', mayRedrive: true },
  queue: {
    state: 'pending',
    words: 'it waits in its queue',
    mayRedrive: false,
    findBacklog: ({ consumer }) => consumer && { kind: 'queue', url: consumer.queueUrl },
  },
  lane: {
    state: 'pending',
    words: 'it waits in its lane',
    mayRedrive: false,
    findBacklog: ({ consumer }) => consumer?.lane && { kind: 'stream', reader: consumer.lane.writer },
  },
  inbox: { state: 'pending', words: 'it waits in its inbox', mayRedrive: false },
  window: { state: 'pending', words: 'it waits in a window of its inbox', mayRedrive: false },
  timer: { state: 'pending', words: 'it waits for its time', mayRedrive: false },
  failure: { state: 'failed', words: 'it has failed', mayRedrive: true },
  repeated: { state: 'failed', words: 'it has failed, and an earlier command stands for it', mayRedrive: false },
  processed: { state: 'processed', words: 'it was processed', mayRedrive: false },
  discarded: { state: 'discarded', words: 'it was discarded', mayRedrive: false },
  row: { state: 'processed', words: 'its row shows it', mayRedrive: false },
};

/**
 * Place to which each part of a consumer's description leads; nothing for a part that holds no messages. A part that is added to
 * the description does not compile without its place here.
 */
export const LOCATION_BY_PART = {
  queueUrl: 'queue',
  inbox: 'inbox',
  lane: 'lane',
  saga: 'timer',
  projection: 'row',
  rebuild: 'row',
  name: undefined,
  generation: undefined,
  since: undefined,
  events: undefined,
  takesCommands: undefined,
  dedupeWindowSeconds: undefined,
  longestRedeliverySeconds: undefined,
} as const satisfies Readonly<Record<keyof ConsumerDescription, MessageLocation | undefined>>;

/** Attributes of a record that decide where its message is. */
export interface RecordStatus {
  readonly status: 'PENDING' | 'PROCESSED' | 'FAILED' | 'DISCARDED' | 'REPEATED';
  /** Window in which it has a place. */
  readonly window?: string | undefined;
}

/** Returns the place of a message that has a record. */
export function locateRecord(
  { status, window }: RecordStatus,
  { consumer }: Pick<Listener, 'consumer'>,
): MessageLocation {
  switch (status) {
    case 'PENDING':
      if (window !== undefined) return 'window';
      return consumer?.inbox ? 'inbox' : 'timer';
    case 'PROCESSED':
      return 'processed';
    case 'DISCARDED':
      return 'discarded';
    case 'FAILED':
      return consumer ? 'failure' : 'publication';
    case 'REPEATED':
      return 'repeated';
  }
}

/** Returns what a record says of its message. */
export const recordedState = (record: RecordStatus, listener: Pick<Listener, 'consumer'>): RecordedState =>
  LOCATION_RULES[locateRecord(record, listener)].state;

/** Returns the places of a listener in which a message without a record may wait, with the backlog of each. */
export const listBacklogs = (
  listener: Pick<Listener, 'consumer'>,
  from: Pick<Service, 'relay'>,
): readonly { readonly place: MessageLocation; readonly backlog: Backlog }[] =>
  (Object.keys(LOCATION_RULES) as MessageLocation[]).flatMap((place) => {
    const backlog = LOCATION_RULES[place].findBacklog?.(listener, from);
    return backlog ? [{ place, backlog }] : [];
  });
