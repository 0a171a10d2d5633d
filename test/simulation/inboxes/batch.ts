import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { SALES, TENS } from '../../support/inboxes/contract.js';
import { awaitStored, itemsIn, ofShop, publish, recordsIn } from './shop.js';

const MINUTE = 60_000;
/** Sales with the minutes of their events and of their arrivals. The window of minutes 10 to 20 has none of its own. */
const SALES_MADE = [
  ...['a', 'b', 'flaky', 'd', 'e'].map((name) => ({ name, at: 1, comes: 1 })),
  { name: 'early', at: 21, comes: 9 },
  /** Late: its window has closed. */
  { name: 'late', at: 2, comes: 14 },
  { name: 'next', at: 22, comes: 22 },
];
/** Minutes until which windows close, and messages that are stored come to their end. The fourth window ends later. */
const LAST = 39;

/** Sale of the third window, whose last page is full without it. */
const RACING = { name: 'racing', at: 25 };

/**
 * Sales of three windows: one with three pages, one with nothing but a late one, one whose first sale comes early. One more
 * comes while its window is being closed, which DynamoDB throttles for a moment: it gets a place there, or it is late.
 */
export const salesOfWindows: Scenario = {
  name: 'inbox-batch',
  async play(cloud) {
    const begun = cloud.world.now;
    awaitStored(cloud, begun + LAST * MINUTE);
    for (const { name, at, comes } of SALES_MADE) {
      cloud.world.after(comes * MINUTE, () => makeSale(cloud, name, begun + at * MINUTE));
    }
    publishWhileClosing(cloud, begun);
    await cloud.world.settle();
    return [...broken(cloud, begun)];
  },
};

const makeSale = (cloud: Cloud, name: string, time: number): void =>
  publish(cloud, { id: name, type: 'SaleMade', subject: `Sale/${name}`, data: { name }, time });

/** Makes the racing sale between the moment at which its window is read to be closed, and the moment at which it closes. */
function publishWhileClosing(cloud: Cloud, begun: number): void {
  const window = TENS.idOf(new Date(begun + RACING.at * MINUTE).toISOString());
  let refusals = 0;
  cloud.calls.interceptor = {
    beforeCall: ({ request, body }) => {
      // What is stored too late is not waited for.
      if (cloud.world.now > begun + (LAST - 1) * MINUTE) return undefined;
      const closes = request.operation === 'TransactWriteItems' && body.includes('closedAt');
      if (!closes || !body.includes(`WINDOW#${window}`) || !body.includes(':number') || refusals === 2)
        return undefined;
      if (refusals === 0) makeSale(cloud, RACING.name, begun + RACING.at * MINUTE);
      refusals++;
      return 'refused';
    },
    afterCall: () => undefined,
  };
}

function* broken(cloud: Cloud, begun: number): Generator<Violation> {
  const records = new Map(recordsIn(cloud).map((record) => [record.pk, record]));
  const items = new Map(itemsIn(cloud).map((item) => [String(item.pk), item]));
  const members = new Map<string, string[]>();
  // A fault at the closing comes before the racing sale, which then is not made.
  const isRacing = cloud.events.accepted.some(({ event }) => (event.detail as { id?: string }).id === RACING.name);
  for (const { name, at } of [...SALES_MADE, ...(isRacing ? [RACING] : [])]) {
    const { status, window, lateFrom } = records.get(recordKey(SALES, ofShop(name))) ?? {};
    const times = Number(items.get(`Sale#${name}`)?.times ?? 0);
    const own = TENS.idOf(new Date(begun + at * MINUTE).toISOString());
    const about = { about: name, detail: `${name} ${status} in ${window}, late from ${lateFrom}, effect ${times}` };
    // A fault may make it so late that its window does not close before the end of the history.
    const isOpen = status === 'PENDING' && TENS.endOf(String(window)) > new Date(begun + LAST * MINUTE).toISOString();
    // A window whose attempts are used up waits for an operator, with what is left in it.
    const isHeld =
      cloud.faults.injected.length > 0 && records.get(`${SALES.name}@0#WINDOW#${window}`)?.status === 'FAILED';
    if (status !== 'PROCESSED' && status !== 'FAILED' && !isOpen && !(status === 'PENDING' && isHeld))
      yield { invariant: 'each stored message ends', ...about };
    if (times !== (status === 'PROCESSED' ? 1 : 0)) {
      yield { invariant: 'an effect happens once, and only with its final status', ...about };
    }
    if (status === 'PROCESSED') {
      const isLate = window !== own;
      if (String(window) < own || (isLate ? lateFrom !== own : lateFrom !== undefined)) {
        yield { invariant: 'a message is in its own window, or counts as late', ...about };
      }
      members.set(String(window), [...(members.get(String(window)) ?? []), name]);
    }
    if (cloud.faults.injected.length === 0 && name !== RACING.name && (name === 'late') !== (lateFrom !== undefined)) {
      yield { invariant: 'without a fault, only the late one is late', ...about };
    }
  }
  // The calendar begins with the first message that gets its place. A fault may let one of a later window be first.
  const opened = [...records.values()].flatMap(({ closesAt, window }) => (closesAt ? [String(window)] : [])).toSorted();
  const own = TENS.idOf(new Date(begun).toISOString());
  const last = TENS.next(TENS.next(own));
  let window = cloud.faults.injected.length === 0 ? own : (opened[0] ?? own);
  for (let number = 1; window <= last; number++, window = TENS.next(window)) {
    const record = records.get(`${SALES.name}@0#WINDOW#${window}`);
    const report = items.get(`Report#${window}`) ?? {};
    const about = { about: window, detail: `${window} ${record?.status}: ${JSON.stringify(report)}` };
    if (record?.status === 'FAILED') continue;
    if (record?.status !== 'PROCESSED') {
      yield { invariant: 'each window closes, with messages or without', ...about };
      continue;
    }
    if (report.closed !== 1 || report.place !== number)
      yield { invariant: 'a window closes once, in its order', ...about };
    const size = members.get(window)?.length ?? 0;
    if ((report.sales ?? 0) !== size || report.members !== size) {
      yield { invariant: 'the closed windows are a partition of the messages', ...about };
    }
  }
  const denied = cloud.world.trace.lines.find((line) => / DENIED | may not |ValidationException/.test(line));
  if (denied) yield { invariant: 'no right is missing, and no call is malformed', detail: denied };
}
