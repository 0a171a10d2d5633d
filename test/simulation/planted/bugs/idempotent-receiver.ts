import { bugsIn, type PlantedBug } from '../bug.js';

const changeOnce = bugsIn('packages/kit/idempotent-receiver/change-once.ts');
const changeStateOnce = bugsIn('packages/kit/idempotent-receiver/change-state-once.ts');
const createOnce = bugsIn('packages/kit/idempotent-receiver/create-once.ts');
const keyRecord = bugsIn('packages/kit/idempotent-receiver/key-record.ts');
const numberedSession = bugsIn('packages/kit/idempotent-receiver/numbered-session.ts');
const session = bugsIn('packages/kit/idempotent-receiver/session.ts');

export const IDEMPOTENT_RECEIVER: readonly PlantedBug[] = [
  changeOnce('a refusal is sent before the record was looked for: the record of a change', 'keys', {
    from: 'if (expectedVersion === undefined)',
    to: 'if (error instanceof Problem || expectedVersion === undefined)',
  }),
  changeOnce('a repeat is counted too: the count is written apart from the change that it counts', 'refund-limit', {
    from: 'await transact([claim, change, ...(more?.writes ?? [])]);',
    to: 'if (more) await transact([...more.writes]); await transact([claim, change]);',
  }),
  changeOnce('a key that comes with another change gets the earlier answer', 'keys', {
    from: 'if (!isSameRequest(record, requestHash)) record.refuseReused();',
    to: '',
  }),
  changeStateOnce('the record of a patch does not hold its answer', 'user-races', {
    from: 'buildClaim(after?.version ?? 0, after && ({ ...after } as Item))',
    to: 'buildClaim(after?.version ?? 0)',
  }),
  changeStateOnce('a patch is committed without the record of its request', 'user-races', {
    from: 'await store.table.transact([claim, ...writes, ...alongside]);',
    to: 'await store.table.transact([...writes, ...alongside]);',
  }),
  changeStateOnce('a refused change of a state is not compared with an earlier success of the same request', 'keys', {
    from: `    const earlier = await record.find();
    if (earlier) return replay(earlier);
    throw error;`,
    to: '    throw error;',
  }),
  createOnce('a retry treats an unknown result as a failure: it takes its own commit for a stranger', 'place-one', {
    from: /return replay\(error\.existing.*\);/,
    to: "throw new WriteConflict('exists', { cause: error });",
  }),
  createOnce('a refusal is sent before the record was looked for: the commit', 'keys', {
    from: 'return found ? replay(found) : refuse();',
    to: 'refuse(); if (found) return replay(found);',
  }),
  createOnce('a payment is counted apart from its commit', 'pay-once', {
    from: 'await (more ? transact([store.appendWrite(commit), ...more.writes]) : store.append(commit));',
    to: 'if (more) await transact([...more.writes]); await store.append(commit);',
  }),
  keyRecord('answered requests are kept for the first window', 'window-raised', {
    from: 'computeExpiry(windowSeconds, clock.epochSeconds())',
    to: 'clock.epochSeconds() + computeExpiry(windowSeconds, 0)',
  }),
  numberedSession("a number's answer is written over an earlier one", 'numbers', {
    from: "'attribute_not_exists(answers.#number)'",
    to: "'attribute_exists(answers)'",
  }),
  numberedSession('a repeat opens a session that has ended', 'numbers', {
    from: '`${isOpen} AND ${isLater}`',
    to: '`(${isOpen} OR attribute_exists(pk)) AND ${isLater}`',
  }),
  numberedSession('a session that has moved on is moved back', 'numbered-cancellations', {
    from: "'answeredUpTo = :seen'",
    to: "'answeredUpTo >= :seen'",
  }),
  session("after a refusal, the session of a request's number is read as it was a moment ago", 'numbers', {
    from: 'ConsistentRead: true',
    to: 'ConsistentRead: false',
  }),
];
