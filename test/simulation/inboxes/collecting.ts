import { COMMIT_PREFIX } from '../../../packages/kit/messages/keys.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import type { Part } from '../../kit/inbox/example.collecting.js';
import { Carrier } from './carrier.js';
import { packingItemsIn, packingRecordsIn, publish, type Row } from './shop.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Time for which the collector waits for the parts of an order. */
const WAIT = 30 * MINUTE;
/** Time after which an order that still waits is lost. */
const LOST_AFTER = 12 * 60 * MINUTE;

const PARTS = {
  OrderPlaced: { from: 'orders', data: (orderId: string) => ({ orderId, lines: ['TEA-1'] }) },
  PaymentCharged: { from: 'payments', data: (orderId: string) => ({ orderId, amount: 350 }) },
  StockReserved: { from: 'inventory', data: (orderId: string) => ({ orderId, shelf: 'A7' }) },
} as const satisfies Readonly<Record<Part, object>>;
const NAMES = Object.keys(PARTS) as readonly Part[];
const [PLACED, CHARGED, RESERVED] = ['OrderPlaced', 'PaymentCharged', 'StockReserved'] as const;

/** Parts of each order, with the minutes at which they come. A number after the part is another event of the same thing. */
const ORDERS: Readonly<Record<string, readonly (readonly [part: Part, minute: number, event?: number])[]>> = {
  ordered: [
    [PLACED, 0],
    [CHARGED, 1],
    [RESERVED, 2],
  ],
  reversed: [
    [RESERVED, 0],
    [CHARGED, 1],
    [PLACED, 2],
  ],
  together: NAMES.map((part) => [part, 0] as const),
  repeated: [
    ...[0, 3, 45].flatMap((minute) => NAMES.map((part) => [part, minute] as const)),
    [PLACED, 0, 2],
    [CHARGED, 50, 2],
  ],
  incomplete: [
    [PLACED, 0],
    [RESERVED, 5],
  ],
  late: [
    [PLACED, 0],
    [RESERVED, 1],
    [CHARGED, 45],
  ],
  /** Its last part comes while the timeout is being handled. */
  racing: [
    [PLACED, 0],
    [CHARGED, 1],
  ],
};

/** Events that lack when the work begins without a fault; of `racing`, whichever is first. */
export const MISSING: Readonly<Record<string, readonly Part[]>> = {
  ordered: [],
  reversed: [],
  together: [],
  repeated: [],
  incomplete: [CHARGED],
  late: [CHARGED],
};

const send = (cloud: Cloud, orderId: string, part: Part, event = 1): void => {
  const { from, data } = PARTS[part];
  publish(cloud, {
    id: `${orderId}-${part}-${event}`,
    from,
    type: part,
    subject: `Order/${orderId}`,
    data: data(orderId),
  });
};

/** Three events of each order, in any order, repeated, too late, or never. The work on an order begins once. */
export const partsOfOrders: Scenario = {
  name: 'inbox-collecting',
  async play(cloud) {
    awaitDue(cloud);
    const carrier = Carrier.at(cloud);
    publishWhileWaitingEnds(cloud);
    for (const [orderId, parts] of Object.entries(ORDERS)) {
      for (const [part, minute, event] of parts) {
        cloud.world.after(minute * MINUTE, () => send(cloud, orderId, part, event));
      }
    }
    await cloud.world.settle();
    return [...broken(cloud), ...misprinted(cloud, carrier)];
  },
};

/** Makes the sweepers tick while a timer or a stored message waits. */
function awaitDue(cloud: Cloud): void {
  const begun = cloud.world.now;
  cloud.events.schedules.nextWorkAt = () => {
    if (cloud.world.now > begun + LOST_AFTER) return undefined;
    const due = packingRecordsIn(cloud).flatMap(({ duePk, executeAt }) =>
      duePk === undefined ? [] : [Date.parse(String(executeAt))],
    );
    return due.length > 0 ? Math.min(...due) : undefined;
  };
}

/** Publishes the last part of the racing order between the decision of its timeout and the commit of that decision. */
function publishWhileWaitingEnds(cloud: Cloud): void {
  let refusals = 0;
  cloud.calls.interceptor = {
    beforeCall: ({ request: { operation }, body }) => {
      const ends =
        operation === 'TransactWriteItems' && body.includes('Packing#racing') && body.includes('PackingBegan');
      if (!ends || refusals === 2) return undefined;
      if (refusals === 0) send(cloud, 'racing', RESERVED);
      refusals++;
      return 'refused';
    },
    afterCall: () => undefined,
  };
}

/** Events of an order's history, with the times of their commits. */
const historyOf = (cloud: Cloud, orderId: string) =>
  packingItemsIn(cloud)
    .filter(({ pk, sk }) => pk === `Packing#${orderId}` && String(sk).startsWith(COMMIT_PREFIX))
    .toSorted((one, other) => (String(one.sk) < String(other.sk) ? -1 : 1))
    .flatMap(({ events, at }) =>
      (events as { readonly type: string; readonly data: string }[]).map(({ type, data }) => ({
        type,
        at: Date.parse(String(at)),
        data: JSON.parse(data) as Row,
      })),
    );

interface PackingList {
  readonly label: string;
  readonly packing: { readonly parts: Row; readonly missing: readonly Part[] };
  /** Number of times that it was written. */
  readonly times: number;
}

export const listOf = (cloud: Cloud, orderId: string): PackingList | undefined =>
  packingItemsIn(cloud).find(({ pk }) => pk === `PackingList#${orderId}`) as PackingList | undefined;

function* broken(cloud: Cloud): Generator<Violation> {
  const failed = packingRecordsIn(cloud).filter(({ status }) => status === 'FAILED');
  for (const orderId of Object.keys(ORDERS)) {
    const history = historyOf(cloud, orderId);
    const { packing, times = 0 } = listOf(cloud, orderId) ?? {};
    const { parts = {}, missing = [] } = packing ?? {};
    const types = history.map(({ type }) => type);
    const about = { about: orderId, detail: `${orderId}: ${types.join(' ')}; begun ${times} times without ${missing}` };
    const begins = types.filter((type) => type === 'PackingBegan').length;
    const mayFail = failed.some(({ messageId, subject }) => `${messageId} ${subject}`.includes(orderId));
    if (begins > 1 || times > 1 || ((begins < 1 || times < 1) && !mayFail)) {
      yield { invariant: 'the work on an order begins exactly once', ...about };
    }
    if (packing === undefined) continue;
    const began = types.indexOf('PackingBegan');
    const arrived = history.slice(0, began).flatMap(({ type, data }) => (type === 'PartArrived' ? [data] : []));
    const known = Object.fromEntries(arrived.map(({ part, content }) => [part, content]));
    const lacking = NAMES.filter((part) => !(part in known));
    if (JSON.stringify(sorted(parts)) !== JSON.stringify(sorted(known)) || `${lacking}` !== `${missing}`) {
      yield { invariant: 'the work begins with all events that have come', ...about };
    }
    const waited = (history[began]?.at ?? 0) - (history[0]?.at ?? 0);
    if (missing.length > 0 && waited < WAIT - 5 * SECOND) {
      yield { invariant: 'the work begins without an event only when the waiting is over', ...about };
    }
    const expected = MISSING[orderId];
    if (cloud.faults.injected.length === 0 && expected && `${expected}` !== `${missing}`) {
      yield { invariant: 'without a fault, only what comes too late is missing', ...about };
    }
  }
  const denied = cloud.world.trace.lines.find((line) => / DENIED | may not |ValidationException/.test(line));
  if (denied) yield { invariant: 'no right is missing, and no call is malformed', detail: denied };
}

/** The carrier prints before the list commits, and its first answer gets lost: a repeated call must not print again. */
function* misprinted(cloud: Cloud, { labels }: Carrier): Generator<Violation> {
  for (const orderId of Object.keys(ORDERS)) {
    const printed = labels.get(orderId) ?? [];
    const list = listOf(cloud, orderId);
    const detail = `${orderId}: ${printed.join(' ')} printed, ${list?.label} on the list`;
    if (printed.length > 1) yield { invariant: 'an order has one label, however often it was asked for', detail };
    if (list && list.label !== printed[0]) yield { invariant: 'the list names the label that was printed', detail };
  }
}

const sorted = (row: Row): readonly (readonly [string, unknown])[] =>
  Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1));
