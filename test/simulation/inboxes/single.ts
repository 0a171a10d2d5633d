import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { InterceptedCall, Interceptor } from '../../../packages/simulator/cloud/calls.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Answer } from '../../../packages/simulator/cloud/services.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { ADDRESS, PAGES, PARCELS } from '../../support/inboxes/contract.js';
import { copiesBesideTables } from '../../support/simulation/copies.js';
import { awaitStored, functionsOf, itemsIn, ofShop, publish, type Row, recordsIn } from './shop.js';

const { runner } = functionsOf('Parcels');
const NAMES = ['plain', 'flaky', 'refused', 'broken', 'slow', 'paged'];
/** How each parcel ends without a fault. A failure may also follow from a fault that ends its attempts. */
const ENDS = { refused: 'FAILED', broken: 'FAILED' } as Readonly<Record<string, string>>;

/** Fencing token of a runner's write: of an update, or of an update in a transaction. */
function fenceOf({ TransactItems = [], ...input }: Record<string, unknown>): number | undefined {
  const updates = [input, ...(TransactItems as { Update?: object }[]).flatMap(({ Update }) => Update ?? [])];
  const fences = updates.map((update) => (update as { ExpressionAttributeValues?: Row }).ExpressionAttributeValues);
  const fence = fences.flatMap((values) => (values?.[':fence'] as { N?: string } | undefined)?.N ?? [])[0];
  return fence === undefined ? undefined : Number(fence);
}

/**
 * Freezes the first runner of the frozen parcel: none of its renewals arrives, so another runner takes the parcel while the
 * first one works on. It watches that the first one commits nothing any more.
 */
class FrozenRenewals implements Interceptor {
  /** Writes that a runner committed after it had lost its lease. */
  readonly late: string[] = [];

  constructor(private readonly cloud: Cloud) {}

  beforeCall({ fn, request: { operation, input } }: InterceptedCall): 'refused' | undefined {
    const isRenewal = fn.label === runner && operation === 'UpdateItem' && fenceOf(input) === 1;
    const { Key } = input as { Key?: { pk?: { S?: string } } };
    return isRenewal && Key?.pk?.S?.endsWith('frozen') ? 'refused' : undefined;
  }

  afterCall({ fn, request: { operation, input } }: InterceptedCall, answer: Answer): undefined {
    const fence = fn.label === runner && 'output' in answer ? fenceOf(input) : undefined;
    if (fence === undefined) return;
    const held = recordsIn(this.cloud).find(({ pk }) => pk === recordKey(PARCELS, ofShop('frozen')))?.fence;
    if (fence < Number(held)) this.late.push(`${operation} of runner ${fence}, held by runner ${held}`);
  }
}

const send = (cloud: Cloud, name: string): void =>
  publish(cloud, { id: name, type: 'ParcelSent', subject: `Parcel/${name}`, data: { name } });

/** Parcels of every kind; two of them come again, one of these while it is being worked on. */
export const parcelsOfAllKinds: Scenario = {
  name: 'inbox-single',
  async play(cloud) {
    awaitStored(cloud);
    for (const name of NAMES) send(cloud, name);
    cloud.world.after(50_000, () => {
      for (const name of ['plain', 'slow']) send(cloud, name);
    });
    await cloud.world.settle();
    return [...broken(cloud, NAMES)];
  },
};

/** Slow parcels, as many as leave one runner free, and the plain ones that come behind them. */
export const SLOW_NAMES = ['slow-1', 'slow-2', 'slow-3'];
export const PLAIN_NAMES = Array.from({ length: 30 }, (_, at) => `plain-${at + 1}`);

/** @param meanwhile called while the slow parcels are being worked on, a moment before the first one ends */
export const slowParcels = (meanwhile: (cloud: Cloud) => void): Scenario => ({
  name: 'inbox-slow',
  async play(cloud) {
    awaitStored(cloud);
    for (const name of SLOW_NAMES) send(cloud, name);
    cloud.world.after(5_000, () => {
      for (const name of PLAIN_NAMES) send(cloud, name);
    });
    cloud.world.after(170_000, () => meanwhile(cloud));
    await cloud.world.settle();
    return [...broken(cloud, [...SLOW_NAMES, ...PLAIN_NAMES])];
  },
});

/** A parcel whose first runner loses its lease and works on. */
export const frozenParcel: Scenario = {
  name: 'inbox-frozen',
  async play(cloud) {
    awaitStored(cloud);
    const frozen = new FrozenRenewals(cloud);
    cloud.calls.interceptor = frozen;
    send(cloud, 'frozen');
    await cloud.world.settle();
    const late = frozen.late.map((detail) => ({ invariant: 'a runner that lost its lease commits nothing', detail }));
    return [...broken(cloud, ['frozen']), ...late];
  },
};

/** A parcel that always fails, and whose delayed hand-outs are lost in the queue, or never reach it. */
export const undelayedParcel = (how: 'lost' | 'refused'): Scenario => ({
  name: 'inbox-undelayed',
  async play(cloud) {
    awaitStored(cloud);
    const isDelayed = ({ fn, request: { operation } }: InterceptedCall) =>
      fn.label === runner && operation === 'SendMessage';
    cloud.calls.interceptor = {
      beforeCall: (call) => (how === 'refused' && isDelayed(call) ? 'refused' : undefined),
      afterCall: (call) => {
        if (how === 'lost' && isDelayed(call)) cloud.queue('ParcelsInbox/Work').purge();
        return undefined;
      },
    };
    send(cloud, 'broken');
    await cloud.world.settle();
    return [...broken(cloud, ['broken'])];
  },
});

/** Returns the seconds between the attempts of a parcel that failed in each of them. */
export function pausesOf(cloud: Cloud, name: string): readonly number[] {
  const { failures } = recordsIn(cloud).find(({ pk }) => pk === recordKey(PARCELS, ofShop(name))) ?? {};
  const times = (failures as readonly { readonly at: string }[]).map(({ at }) => Date.parse(at) / 1_000).toReversed();
  return times.slice(1).map((time, at) => time - (times[at] ?? 0));
}

function* broken(cloud: Cloud, names: readonly string[]): Generator<Violation> {
  const records = new Map(recordsIn(cloud).map((record) => [record.pk, record]));
  const times = new Map(itemsIn(cloud).map(({ pk, times }) => [String(pk).slice('Parcel#'.length), Number(times)]));
  for (const name of names) {
    const { status, attempts = 0, failures = [] } = records.get(recordKey(PARCELS, ofShop(name))) ?? {};
    const about = { about: name, detail: `${name} ${status} after ${attempts} attempts, effect ${times.get(name)}` };
    if (status !== 'PROCESSED' && status !== 'FAILED') yield { invariant: 'each stored message ends', ...about };
    if ((times.get(name) ?? 0) !== (status === 'PROCESSED' ? 1 : 0)) {
      yield { invariant: 'an effect happens once, and only with its final status', ...about };
    }
    if (ENDS[name] !== undefined && status !== ENDS[name]) yield { invariant: 'what is refused fails', ...about };
    if (cloud.faults.injected.length === 0 && status !== (ENDS[name] ?? 'PROCESSED')) {
      yield { invariant: 'without a fault, a message is processed', ...about };
    }
    if (status === 'FAILED' && (failures as unknown[]).length === 0)
      yield { invariant: 'a failure has a reason', ...about };
    if (name !== 'paged' && name !== 'frozen') continue;
    for (let page = 1; page <= PAGES; page++) {
      const done = times.get(`${name}/${page}`) ?? 0;
      if (done > 1 || (done === 0 && status === 'PROCESSED')) {
        yield {
          invariant: 'each page of the work is done once',
          about: name,
          detail: `${name}/${page}: ${done} times`,
        };
      }
    }
  }
  yield* textsOfErrors(cloud);
  const denied = cloud.world.trace.lines.find((line) => / DENIED | may not |ValidationException/.test(line));
  if (denied) yield { invariant: 'no right is missing, and no call is malformed', detail: denied };
}

/** The text of what a handler throws is in no record and no log, and in nothing else that a function leaves behind. */
function* textsOfErrors(cloud: Cloud): Generator<Violation> {
  const items = [...recordsIn(cloud), ...itemsIn(cloud)].map(
    (item) => [String(item.pk), JSON.stringify(item)] as const,
  );
  const kept = items.filter(([, text]) => /Byron|Main Street/.test(text)).map(([pk]) => pk);
  for (const place of [...kept, ...['Byron', 'Main Street'].flatMap((part) => copiesBesideTables(cloud, part))]) {
    yield { invariant: 'the text of an error is nowhere in plain text', detail: `${ADDRESS} in ${place}` };
  }
}
