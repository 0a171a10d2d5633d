import { type UserEvent, type UserStatus, usersContract } from '../../../lambdas/users/contract.js';
import { evolve, initialState, selectSealedFields, type User } from '../../../lambdas/users/domain/user.js';
import { type Commit, type Facts, isCommit, parseEvent } from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Invariants of users, and of what orders know of them, despite duplicates, delays and concurrency. */
export const users: Check = (facts) => [
  ...usersAreTheirEvents(facts),
  ...oneContentOfAVersion(facts),
  ...statusesAreSet(facts),
  ...forgottenAtOnce(facts),
  ...ordersKnowTheNewest(facts),
  ...ordersNeverGoBack(facts),
  ...admission(facts),
  ...chargedAfterReview(facts),
  ...reviewedWithReason(facts),
  ...releasedWithTheirUser(facts),
  ...dispatchedAfterReview(facts),
  ...reviewsAreListed(facts),
  ...addressesAreCopies(facts),
];

/** A user after one write. */
interface Written {
  readonly userId: string;
  readonly state: User & { readonly version: number };
  readonly events: readonly UserEvent[];
  /** Whether the same write left a tombstone in the place of the user's data key. */
  readonly isErased: boolean;
}

/** Returns each write of a user, in their order; their commits may have expired. */
const writtenUsers = ({ writes }: Facts): readonly Written[] =>
  writes.flatMap(({ changes }) =>
    changes.flatMap(({ after }) => {
      if (!String(after?.pk).startsWith('User#') || after?.sk !== 'STATE') return [];
      const commit = changes.find((change) => change.after?.pk === after.pk && change.after?.sk !== 'STATE')?.after;
      const userId = String(after.pk).slice('User#'.length);
      const events = commit ? eventsOf(commit as unknown as Commit) : [];
      const tombstone = changes.find((change) => change.after?.pk === `PERSON#${userId}`)?.after;
      return [{ userId, state: after as unknown as Written['state'], events, isErased: isTombstone(tombstone) }];
    }),
  );

const eventsOf = ({ events }: Commit): readonly UserEvent[] =>
  events.map((event) => parseEvent(usersContract, event) as UserEvent);

const isTombstone = (item: Row | undefined): boolean =>
  item !== undefined && item.forgottenAt !== undefined && item.wrapped === undefined;

const shownOf = (user: User): string =>
  JSON.stringify([user.status, user.forgotten ?? false, selectSealedFields(user)]);

/**
 * After each write a user equals the fold of their events, and the version is their number. So no change of a profile
 * loses a status, and the other way round. Each status follows the one before.
 */
const usersAreTheirEvents: Check = (facts) => {
  const known = new Map<string, { readonly user: User; readonly version: number }>();
  return writtenUsers(facts).flatMap(({ userId, state, events }) => {
    const before = known.get(userId) ?? { user: initialState, version: 0 };
    const user = events.reduce<User>(evolve, before.user);
    const version = before.version + events.length;
    known.set(userId, { user, version });
    const follows = events.every(
      (event) => event.type !== 'UserStatusChanged' || event.data.oldStatus === before.user.status,
    );
    const right = events.length > 0 && follows && state.version === version && shownOf(state) === shownOf(user);
    const told = `${userId}: ${state.version} ${shownOf(state)}, by events ${version} ${shownOf(user)}`;
    return right ? [] : [violation('a user is what their events tell', told, userId)];
  });
};

/** G2: every answer that names a version of a user shows the same user, also the repeat of an old request. */
const oneContentOfAVersion: Check = ({ orderly }) => {
  const first = new Map<string, string>();
  return orderly.answered.flatMap(({ method, path, reply }) => {
    const { userId, version, forgotten, ...shown } = reply.body;
    if (!path.startsWith('/users/') || reply.status !== 200 || forgotten === true || userId === undefined) return [];
    const at = `${String(userId)} ${String(version)}`;
    const told = JSON.stringify(Object.entries(shown).sort());
    const earlier = first.get(at) ?? told;
    first.set(at, earlier);
    if (earlier === told) return [];
    return [violation('a version of a user has one content', `${method} ${at}: ${earlier} and ${told}`)];
  });
};

/** G1: an acknowledged status was set, or was the status already. */
const statusesAreSet: Check = (facts) => {
  const written = writtenUsers(facts);
  return facts.orderly.answered.flatMap(({ method, path, body, reply }) => {
    if (method !== 'PUT' || !path.startsWith('/users/') || reply.status !== 200) return [];
    const { status } = body as { status: UserStatus };
    const { userId, version, status: shown } = reply.body;
    const isSet = written.some(
      (one) => one.userId === userId && one.state.version === version && one.state.status === status,
    );
    const right = shown === status && (isSet || (version === 0 && status === initialState.status));
    const told = `${String(userId)} ${status}, answered ${String(shown)} at ${String(version)}`;
    return right ? [] : [violation('an acknowledged status is committed', told, String(userId))];
  });
};

/** G8: one write empties the profile and deletes the data key; nothing personal is written after it. */
const forgottenAtOnce: Check = (facts) => {
  const written = writtenUsers(facts);
  const keys = new Map(facts.orderly.itemsOf(facts.orderly.personalKeys).map((item) => [String(item.pk), item]));
  return [
    ...written.flatMap(({ userId, state, events, isErased }) => {
      const erases = events.some(({ type }) => type === 'UserForgotten');
      if (erases && !isErased) return [violation('a user and their key are forgotten at once', userId, userId)];
      if (!state.forgotten || Object.keys(selectSealedFields(state)).length === 0) return [];
      return [violation('a forgotten user has no profile', shownOf(state), userId)];
    }),
    ...facts.orderly.answered.flatMap(({ method, path, as, reply }) => {
      if (method !== 'DELETE' || path !== '/users/me' || reply.status !== 204) return [];
      const last = written.findLast(({ userId }) => userId === as)?.state;
      if (last?.forgotten && isTombstone(keys.get(`PERSON#${as}`))) return [];
      return [violation('an acknowledged wish to be forgotten is committed', `${as}: ${last?.version}`, as)];
    }),
  ];
};

/** A copy of a user's status in the orders service, after one write. */
interface Copied {
  readonly userId: string;
  readonly at: number;
  /** Place of the write among all writes. */
  readonly place: number;
  readonly status: UserStatus;
  readonly version: number;
}

const copiesOf = ({ writes }: Facts): readonly Copied[] =>
  writes.flatMap(({ at, changes }, place) =>
    changes.flatMap(({ after }) => {
      const [, userId] = /^USER#(.+)$/.exec(String(after?.pk)) ?? [];
      if (userId === undefined || !after || after.sk !== 'STATUS') return [];
      return [{ userId, at, place, status: after.status as UserStatus, version: Number(after.version) }];
    }),
  );

/** In the end orders know a user's newest status, unless its event is visible as failed or waiting. */
const ordersKnowTheNewest: Check = (facts) => {
  const listener = facts.listener('orders-users');
  const copies = new Map(copiesOf(facts).map((copy) => [copy.userId, copy]));
  const newest = new Map(writtenUsers(facts).map(({ userId, state }) => [userId, state]));
  const isOpen = new Set(
    [...facts.published].flatMap(([id, { detail, 'detail-type': type }]) => {
      if (type !== 'UserStatusChanged' || facts.delivery(listener, { id }) === 'processed') return [];
      return [(detail as { data: { userId: string } }).data.userId];
    }),
  );
  return [...newest].flatMap(([userId, { status }]) => {
    const known = copies.get(userId)?.status ?? initialState.status;
    if (known === status || isOpen.has(userId)) return [];
    return [violation('orders know the newest status of a user', `${userId}: ${known} instead of ${status}`, userId)];
  });
};

/** A copy is never replaced by an older one. */
const ordersNeverGoBack: Check = (facts) => {
  const known = new Map<string, number>();
  return copiesOf(facts).flatMap(({ userId, version }) => {
    const before = known.get(userId) ?? 0;
    known.set(userId, version);
    if (version > before) return [];
    return [violation('what orders know of a user never goes back', `${userId}: ${before} to ${version}`, userId)];
  });
};

/** Longer than any request takes: a function is ended after 10 seconds. */
const LONGEST_REQUEST = 15_000;

/**
 * A user whom orders know as blocked places no order. One who is blocked while the order is being placed races with it,
 * so either end is right. A user who was never blocked is not refused.
 */
const admission: Check = (facts) => {
  const copies = copiesOf(facts);
  const placed = facts.writes.flatMap(({ at, changes }) =>
    changes.flatMap(({ after }) => {
      if (!String(after?.pk).startsWith('Order#')) return [];
      const { events } = after as unknown as Commit;
      const event = events.find(({ type }) => type === 'OrderPlaced');
      // A checkout's order is rejected in the commit that places it.
      if (!event || events.some(({ type }) => type === 'OrderRejected')) return [];
      const { customerId } = JSON.parse(event.data) as { customerId: string };
      const own = copies.filter(({ userId }) => userId === customerId);
      const before = own.findLast((copy) => copy.at < at - LONGEST_REQUEST);
      const during = own.filter((copy) => copy.at >= at - LONGEST_REQUEST && copy.at <= at);
      const isBlocked = [before, ...during].every((copy) => copy?.status === 'BLOCKED');
      return isBlocked ? [violation('a blocked user places no order', `${String(after?.pk)} of ${customerId}`)] : [];
    }),
  );
  const refused = facts.orderly.answered.flatMap(({ as, reply }) => {
    if (!String(reply.body.type).endsWith(':user-blocked')) return [];
    const wasBlocked = copies.some(({ userId, status }) => userId === as && status === 'BLOCKED');
    return wasBlocked ? [] : [violation('only a blocked user is refused', as)];
  });
  return [...placed, ...refused];
};

/** Change that one write made to an order or its saga, with its place among all writes. */
interface Step {
  readonly at: number;
  readonly place: number;
  readonly orderId: string;
  readonly type: string;
  readonly data: {
    readonly outcome?: string;
    readonly step?: string;
    readonly attempt?: number;
    readonly reasons?: readonly string[];
  };
}

/** Returns the events of orders and their sagas, in the order in which they were written. */
const stepsOf = ({ writes }: Facts): readonly Step[] =>
  writes.flatMap(({ at, changes }, place) =>
    changes.flatMap(({ after }) => {
      const [, orderId] = /^(?:Order|CreateOrderSaga)#(.+)$/.exec(String(after?.pk)) ?? [];
      if (orderId === undefined || !after || !isCommit(after)) return [];
      const { events } = after as unknown as Commit;
      return events.map(({ type, data }) => ({ at, place, orderId, type, data: JSON.parse(data) as Step['data'] }));
    }),
  );

/**
 * No order under review is charged. No order of a user whom orders know as suspect or blocked is charged, unless an operator
 * has approved it before. One whose user becomes suspect while its saga sends the charge races with it, so either end is
 * right.
 */
const chargedAfterReview: Check = (facts) => {
  const copies = copiesOf(facts);
  const reviews = new Map<string, string>();
  return stepsOf(facts).flatMap(({ at, orderId, type, data }) => {
    if (type === 'OrderReviewStarted') reviews.set(orderId, 'STARTED');
    if (type === 'OrderReviewEnded') reviews.set(orderId, String(data.outcome));
    if (type !== 'StepSent' || data.step !== 'charge-payment' || data.attempt !== 1) return [];
    const review = reviews.get(orderId);
    const order = facts.order(orderId);
    const isDoubtful =
      order && statusesUntil(copies, order.customerId, at).every((copy) => (copy ?? INITIAL).status !== 'ACTIVE');
    if (review !== 'STARTED' && (review === 'APPROVED' || !isDoubtful)) return [];
    return [violation('an order of a suspect user is reviewed before it is charged', `${orderId} ${review}`, orderId)];
  });
};

const INITIAL: Pick<Copied, 'status'> = { status: initialState.status };

/** Returns what orders knew of a user while a request or a message was handled that ended at this time. */
const statusesUntil = (copies: readonly Copied[], userId: string, at: number): readonly (Copied | undefined)[] => {
  const own = copies.filter((copy) => copy.userId === userId && copy.at <= at);
  const before = own.findLast((copy) => copy.at < at - LONGEST_REQUEST);
  const during = own.filter((copy) => copy.at >= at - LONGEST_REQUEST);
  return [before, ...during];
};

/**
 * A review starts only while orders know the user as suspect or blocked, with the reason that says which, and is released
 * only while they know the user as active: at the very write, since it checks the copy of the status.
 */
const reviewedWithReason: Check = (facts) => {
  const copies = copiesOf(facts);
  return stepsOf(facts).flatMap(({ place, orderId, type, data }) => {
    const isReleased = type === 'OrderReviewEnded' && data.outcome === 'RELEASED';
    const order = facts.order(orderId);
    if (!(isReleased || type === 'OrderReviewStarted') || !order) return [];
    const { status } = statusAt(copies, order.customerId, place);
    if (isReleased ? status === 'ACTIVE' : data.reasons?.includes(`${status}_USER`)) return [];
    const told = `${type} ${String(data.outcome)} of ${orderId}, whose user is ${status}`;
    return [violation('a review starts and ends with the status of its user', told, orderId)];
  });
};

/** Returns what orders know of a user before a write. */
const statusAt = (copies: readonly Copied[], userId: string, place: number): Pick<Copied, 'status'> =>
  copies.findLast((one) => one.userId === userId && one.place < place) ?? INITIAL;

/**
 * No order under review is dispatched. Nor is one of a user whom orders know as suspect or blocked, unless an operator has
 * approved it: at the very write, since it checks the copy of the status.
 */
const dispatchedAfterReview: Check = (facts) => {
  const copies = copiesOf(facts);
  const reviews = new Map<string, string>();
  return stepsOf(facts).flatMap(({ place, orderId, type, data }) => {
    if (type === 'OrderReviewStarted') reviews.set(orderId, 'STARTED');
    if (type === 'OrderReviewEnded') reviews.set(orderId, String(data.outcome));
    const order = facts.order(orderId);
    if (type !== 'OrderDispatched' || !order) return [];
    const { status } = statusAt(copies, order.customerId, place);
    const review = reviews.get(orderId);
    if (review === 'APPROVED' || (review !== 'STARTED' && status === 'ACTIVE')) return [];
    const told = `${orderId} ${review}, whose user is ${status}`;
    return [violation('an order of a suspect user is reviewed before it is dispatched', told, orderId)];
  });
};

/** The list of reviews is exact: after each write it has the orders under review, and no others. */
const reviewsAreListed: Check = ({ writes }) => {
  const open = new Set<string>();
  const listed = new Set<string>();
  return writes.flatMap(({ changes }) => {
    for (const { before, after } of changes) {
      const [entry, order] = [after ?? before, /^Order#(.+)$/.exec(String(after?.pk))?.[1]];
      if (entry?.pk === 'REVIEWS') listed[after ? 'add' : 'delete'](String(entry.sk).split('#').at(-1) ?? '');
      if (order === undefined || !after || !isCommit(after)) continue;
      for (const { type } of (after as unknown as Commit).events) {
        if (type === 'OrderReviewStarted') open.add(order);
        if (ENDS_REVIEW.has(type)) open.delete(order);
      }
    }
    const wrong = [...open].filter((id) => !listed.has(id)).concat([...listed].filter((id) => !open.has(id)));
    // Each fault is reported once.
    for (const id of wrong) for (const set of [open, listed]) set.delete(id);
    return wrong.map((id) => violation('the list of reviews is exact', id, id));
  });
};

const ENDS_REVIEW: ReadonlySet<string> = new Set(['OrderReviewEnded', 'OrderRejected', 'OrderCancelled']);

/**
 * In the end no order of an active user is under review, unless the event of a status of theirs is visible as failed or
 * waiting.
 */
const releasedWithTheirUser: Check = (facts) => {
  const listener = facts.listener('orders-reviews');
  const statuses = new Map(copiesOf(facts).map((copy) => [copy.userId, copy.status]));
  const open = new Set(
    [...facts.published].flatMap(([id, { detail, 'detail-type': type }]) => {
      if (type !== 'UserStatusChanged' || facts.delivery(listener, { id }) === 'processed') return [];
      return [(detail as { data: { userId: string } }).data.userId];
    }),
  );
  return [...facts.orders.keys()].flatMap((orderId) => {
    const order = facts.order(orderId);
    if (order?.status !== 'UNDER_REVIEW' || open.has(order.customerId)) return [];
    if ((statuses.get(order.customerId) ?? initialState.status) !== 'ACTIVE') return [];
    return [violation('no order of an active user is under review', orderId, orderId)];
  });
};

/** The copy of an address is what the users service has sealed, or nothing, and never goes back. */
const addressesAreCopies: Check = (facts) => {
  const sealed = new Set(
    writtenUsers(facts).flatMap(({ userId, state: { address } }) => (address ? [`${userId} ${address.sealed}`] : [])),
  );
  const known = new Map<string, number>();
  return facts.writes.flatMap(({ changes }) =>
    changes.flatMap(({ after }) => {
      const [, userId] = /^USER#(.+)$/.exec(String(after?.pk)) ?? [];
      if (userId === undefined || !after || after.sk !== 'ADDRESS') return [];
      const { address, version } = after as unknown as { address?: { sealed: string }; version: number };
      const goesBack = version <= (known.get(userId) ?? 0);
      known.set(userId, version);
      if (!goesBack && (!address || sealed.has(`${userId} ${address.sealed}`))) return [];
      return [
        violation("orders know a user's address as the user's service sealed it", `${userId} ${version}`, userId),
      ];
    }),
  );
};
