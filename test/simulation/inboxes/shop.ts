import type { Cloud } from '../../../packages/simulator/cloud.js';
import { traceOf } from '../../support/tally.js';

export type Row = Record<string, unknown>;

/** Names of the functions that work for an inbox, by its construct's id. */
export const functionsOf = (id: string) => ({
  receiver: `On${id}`,
  runner: `Run${id}`,
  sweeper: `${id}Inbox/Sweeper`,
});

export const recordsIn = (cloud: Cloud): readonly Row[] => cloud.itemsOf('Records');
export const itemsIn = (cloud: Cloud): readonly Row[] => cloud.itemsOf('Outbox/Table');

export interface ShopEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: object;
  readonly sequence?: number;
  /** Service that publishes it. @default 'shop' */
  readonly from?: 'shop' | 'till';
  /** Time of the event, milliseconds since 1970. @default now */
  readonly time?: number;
}

/** Publishes an event of the shop on the bus. */
export function publish(cloud: Cloud, event: ShopEvent): void {
  const { correlationId, traceparent, actor } = traceOf('');
  const { id, type, subject, data, sequence = 1, time = cloud.world.now, from = 'shop' } = event;
  const detail = {
    id,
    source: `orderly.${from}`,
    type,
    subject,
    time: new Date(time).toISOString(),
    dataschema: `urn:orderly:${from}:${type}:1`,
    sequence,
    epoch: 0,
    correlationid: correlationId,
    causationid: 'test',
    traceparent,
    actor,
    messagegroup: 'group',
    data,
  };
  const bus = String(cloud.deployment.assembly.outputs.get('Inboxes.BusName'));
  cloud.events.put(bus, { source: `orderly.${from}`, detailType: type, detail });
}

/** Time after which a message that still waits is lost: longer than all attempts, and than any fault. */
const LOST_AFTER = 12 * 3_600_000;

const PARKED_FOR = 30 * 60_000;

/** Makes the sweepers tick while a stored message waits. @param until what waits from a later time on is not waited for */
export function awaitStored(cloud: Cloud, until = Number.POSITIVE_INFINITY): void {
  const begun = cloud.world.now;
  cloud.events.schedules.awaits = () => {
    if (cloud.world.now > begun + LOST_AFTER) return undefined;
    const due = recordsIn(cloud).flatMap(({ duePk, executeAt, parkedAt, storedAt }) => {
      // What is parked for long waits for an operator.
      const waits = duePk !== undefined && Date.parse(String(parkedAt ?? executeAt)) > cloud.world.now - PARKED_FOR;
      return waits && Date.parse(String(storedAt)) <= until ? [Date.parse(String(executeAt))] : [];
    });
    return due.length > 0 ? Math.min(...due) : undefined;
  };
}
