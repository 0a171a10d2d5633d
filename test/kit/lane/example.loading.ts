import * as z from 'zod/mini';
import type { DeciderStore } from '../../../packages/kit/event-store/decide-on.js';
import type { Trace } from '../../../packages/kit/messages/trace.js';

const Stay = z.object({ guestId: z.string(), stayId: z.string() });
const staysContract = {
  service: 'stays',
  events: { StayBooked: { version: 1, data: Stay }, StayCancelled: { version: 1, data: Stay } },
} as const;
type GuestEvent = { readonly type: 'GuestBooked' | 'GuestCancelled'; readonly data: unknown };
interface GuestRequest {
  readonly guestId: string;
  readonly command: 'book' | 'cancel';
  readonly trace: Trace;
}
declare const guests: DeciderStore<object, GuestRequest['command'], GuestEvent>;

// The example of the pattern's README, word for word from here on.

import { clock } from '@orderly/kit/aws';
import { type DecideAll, decideJointly, on } from '@orderly/kit/idempotent-consumer';
import { createJointLane } from '@orderly/kit/lane';
import { subscribe } from '@orderly/kit/messages';

/** All messages about a guest contend for the guest, whatever they are about otherwise. */
const stays = subscribe(staysContract, ['StayBooked', 'StayCancelled'], { contends: 'guestId' });

/** Loads the guest once. Each message is decided on top of those before it. */
const decideAll: DecideAll<GuestRequest> = async (requests) => {
  const loaded = await guests.load(requests[0]?.guestId ?? '');
  const changedAt = loaded.commits.at(-1)?.at;
  let guest = loaded;
  const effects = requests.map(({ command, trace }) => {
    const commit = guests.buildCommit(guest, guests.decider.decide(guest.state, command, { now: clock.now() }), trace);
    guest = guests.applyCommit(guest, commit);
    return [guests.appendWrite(commit)];
  });
  return { effects, ...(changedAt === undefined ? {} : { changedAt }) };
};

/** Alone, such a message is an effect like any other. */
export const onStay = on(stays, {
  StayBooked: ({ event: { data }, trace }) => decideJointly(decideAll, { ...data, command: 'book', trace }),
  StayCancelled: ({ event: { data }, trace }) => decideJointly(decideAll, { ...data, command: 'cancel', trace }),
});

/** The lane: all messages that are decided together, of any number of consumers. */
export const guestLane = createJointLane([onStay]);
