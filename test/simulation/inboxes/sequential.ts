import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { STEPS } from '../../support/inboxes/contract.js';
import { awaitStored, itemsIn, ofShop, publish, recordsIn } from './shop.js';

const MINUTE = 60_000;
/** Steps of each till by their sequence, in the order in which they are published. `clean` is a type without an effect. */
const TILLS: Readonly<Record<string, readonly (readonly [sequence: number, step: string])[]>> = {
  ordered: [
    [1, 'one'],
    [2, 'clean'],
    [3, 'flaky'],
    [4, 'four'],
  ],
  reversed: [
    [4, 'four'],
    [3, 'clean'],
    [2, 'two'],
    [1, 'one'],
  ],
  /** Its second step is refused, and holds back the third. */
  held: [
    [3, 'three'],
    [1, 'one'],
    [2, 'refused'],
  ],
};

const step = (cloud: Cloud, till: string, [sequence, name]: readonly [number, string]): void =>
  publish(cloud, {
    id: `${till}-${sequence}`,
    from: 'till',
    type: name === 'clean' ? 'TillCleaned' : 'StepTaken',
    subject: `Till/${till}`,
    sequence,
    data: name === 'clean' ? {} : { step: name },
  });

/** Steps of three tills: in order, in reverse, and one with a step that is refused; some come twice. */
export const stepsOfTills: Scenario = {
  name: 'inbox-sequential',
  async play(cloud) {
    awaitStored(cloud);
    for (const [till, steps] of Object.entries(TILLS)) for (const one of steps) step(cloud, till, one);
    for (const till of ['ordered', 'reversed']) {
      cloud.world.after(3 * MINUTE, () => step(cloud, till, TILLS[till]?.[1] ?? [1, 'one']));
    }
    await cloud.world.settle();
    return [...broken(cloud)];
  },
};

function* broken(cloud: Cloud): Generator<Violation> {
  const records = new Map(recordsIn(cloud).map((record) => [record.pk, record]));
  const lists = new Map(itemsIn(cloud).map(({ pk, steps }) => [String(pk).slice('Till#'.length), steps as number[]]));
  for (const [till, published] of Object.entries(TILLS)) {
    const about = { about: till };
    const done = lists.get(till) ?? [];
    const inOrder = published.toSorted(([one], [other]) => one - other);
    const statusOf = (sequence: number) =>
      records.get(placeKey(STEPS, { subject: `Till/${till}`, sequence, epoch: 0 }))?.status;
    // What was processed is a beginning of the history, each step once.
    const processed = inOrder.filter(([sequence]) => statusOf(sequence) === 'PROCESSED');
    const effects = processed.filter(([, name]) => name !== 'clean').map(([sequence]) => sequence);
    if (JSON.stringify(done) !== JSON.stringify(effects)) {
      yield { invariant: 'the steps of a till are done once, in their order', ...about, detail: `${till}: ${done}` };
    }
    const beginning = inOrder.slice(0, processed.length);
    if (JSON.stringify(processed) !== JSON.stringify(beginning)) {
      yield { invariant: 'nothing overtakes its predecessor', ...about, detail: `${till}: ${processed.join(' ')}` };
    }
    // What comes after them failed, or waits for what failed or never came.
    const [failed, ...later] = inOrder.slice(processed.length);
    const stands = failed ? statusOf(failed[0]) : undefined;
    const failedElsewhere =
      failed && records.get(recordKey(STEPS, ofShop(`${till}-${failed[0]}`, 'till')))?.status === 'FAILED';
    if (failed && stands !== 'FAILED' && !failedElsewhere) {
      yield { invariant: 'each stored message ends', ...about, detail: `${till}: ${failed[0]} is ${stands}` };
    }
    for (const [sequence] of later) {
      if (statusOf(sequence) !== 'PENDING' && !records.has(recordKey(STEPS, ofShop(`${till}-${sequence}`, 'till')))) {
        yield { invariant: 'nothing is lost', ...about, detail: `${till}: ${sequence} is ${statusOf(sequence)}` };
      }
    }
    const expected = till === 'held' ? 1 : published.length;
    if (cloud.faults.injected.length === 0 && processed.length !== expected) {
      yield { invariant: 'without a fault, a message is processed', ...about, detail: `${till}: ${processed.length}` };
    }
  }
  const denied = cloud.world.trace.lines.find((line) => / DENIED | may not |ValidationException/.test(line));
  if (denied) yield { invariant: 'no right is missing, and no call is malformed', detail: denied };
}
