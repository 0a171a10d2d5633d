import { FORECAST_KINDS, FORECAST_SPANS, type Forecast, type ForecastKind, type Foreseen } from '@orderly/console';
import type { Cloud } from '../cloud/cloud.js';

/** A timer of the app: when it is due, and whose it is. */
export interface AppTimer {
  /** Name of its owner, such as a consumer. */
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** One thing that is planned. */
interface Planned extends AppTimer {
  readonly kind: ForecastKind;
}

/** Things that are shown one by one. */
const SHOWN = 8;
const LONGEST = Math.max(...FORECAST_SPANS);

/**
 * Says what will happen by itself as time passes: timers, schedules, messages that become visible, retries, items that expire and
 * messages whose retention ends. It reads every item that has a TTL, and changes nothing.
 * @param timers of the app, which lie in its tables. @default the app has none
 */
export function forecast(cloud: Cloud, timers: readonly AppTimer[] = []): Forecast {
  const { now } = cloud.world;
  const planned = [...timers.map((one) => ({ kind: 'timer' as const, ...one })), ...listPlanned(cloud)].filter(
    ({ at }) => at <= now + LONGEST,
  );
  const counts = FORECAST_KINDS.map((kind) => {
    const times = planned.filter((one) => one.kind === kind).map(({ at }) => at);
    return [kind, FORECAST_SPANS.map((span) => times.filter((at) => at <= now + span).length)] as const;
  });
  return {
    now,
    counts: Object.fromEntries(counts.filter(([, [...all]]) => all.some((one) => one > 0))),
    next: listNext(planned),
  };
}

function listPlanned(cloud: Cloud): readonly Planned[] {
  const { world, queues, dynamodb, events, asynchronous } = cloud;
  return [
    ...events.schedules.listNext().map(({ rule, at }) => ({ kind: 'schedule' as const, owner: rule, at })),
    ...[...queues.values()].flatMap((queue) => {
      const retention = queue.settings.retention * 1000;
      return queue.listMessages().flatMap(({ id, sentAt, visibleAt }): readonly Planned[] => [
        // What a function handles right now is deleted when it succeeds.
        ...(visibleAt > world.now && !queue.handled.has(id)
          ? [{ kind: 'visible' as const, owner: queue.label, at: visibleAt }]
          : []),
        { kind: 'retention', owner: queue.label, at: sentAt + retention },
      ]);
    }),
    ...events.pending
      .filter(({ at }) => at > world.now)
      .map(({ rule, at }) => ({ kind: 'retry' as const, owner: rule, at })),
    ...asynchronous.pending
      .filter(({ at }) => at > world.now)
      .map(({ fn, at }) => ({ kind: 'retry' as const, owner: cloud.functions.get(fn)?.label ?? fn, at })),
    ...[...dynamodb.listExpiries()].flatMap(([table, expiries]) =>
      expiries.map((seconds) => ({ kind: 'expiry' as const, owner: table, at: seconds * 1000 })),
    ),
  ];
}

/** Returns the first of each kind and owner, the soonest first. Schedules tick all the time, so they are left out. */
function listNext(planned: readonly Planned[]): readonly Foreseen[] {
  const first = new Map<string, Foreseen>();
  for (const { kind, owner, at } of planned) {
    if (kind === 'schedule') continue;
    const known = first.get(`${kind} ${owner}`);
    first.set(`${kind} ${owner}`, { kind, owner, at: Math.min(at, known?.at ?? at), count: (known?.count ?? 0) + 1 });
  }
  return [...first.values()].toSorted((one, other) => one.at - other.at).slice(0, SHOWN);
}
