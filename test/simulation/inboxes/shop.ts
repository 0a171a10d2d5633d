import { cursorKey, placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import { messageIdOf } from '../../../packages/kit/messages/envelope.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import { STEPS } from '../../support/inboxes/contract.js';
import { buildTrace } from '../../support/tally.js';

export type Row = Record<string, unknown>;

/** Names of the functions that work for an inbox, by its construct's id. */
export const functionsOf = (id: string) => ({
  receiver: `On${id}`,
  runner: `Run${id}`,
  sweeper: `${id}Inbox/Sweeper`,
});

export const recordsIn = (cloud: Cloud): readonly Row[] => cloud.listItems('Records');
export const packingRecordsIn = (cloud: Cloud): readonly Row[] => cloud.listItems('Packing/Records');
export const packingItemsIn = (cloud: Cloud): readonly Row[] => cloud.listItems('Packing/Outbox/Table');
export const itemsIn = (cloud: Cloud): readonly Row[] => cloud.listItems('Outbox/Table');

/** Returns the identity of an event. @param id that its publisher gives it */
export const ofShop = (id: string, publisher = 'shop'): string => messageIdOf({ id, source: `orderly.${publisher}` });

export interface ShopEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: object;
  readonly sequence?: number;
  /** Service that publishes it. @default 'shop' */
  readonly from?: string;
  /** Time of the event, milliseconds since 1970. @default now */
  readonly time?: number;
}

/** Publishes an event of the shop on the bus. */
export function publish(cloud: Cloud, event: ShopEvent): void {
  const { correlationId, traceparent, actor } = buildTrace('');
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

/** Makes the sweepers tick while a stored message waits. @param until what waits from a later time on is not waited for */
export function awaitStored(cloud: Cloud, until = Number.POSITIVE_INFINITY): void {
  const begun = cloud.world.now;
  cloud.events.schedules.nextWorkAt = () => {
    if (cloud.world.now > begun + LOST_AFTER) return undefined;
    const records = recordsIn(cloud);
    const due = records
      .filter(({ duePk, parkedAt, subject }) => duePk !== undefined && (!parkedAt || goesOn(records, String(subject))))
      .filter(({ storedAt }) => Date.parse(String(storedAt)) <= until)
      .map(({ executeAt }) => Date.parse(String(executeAt)));
    return due.length > 0 ? Math.min(...due) : undefined;
  };
}

/** Whether the next message of a subject is still to be processed. If it failed, what is parked waits for an operator. */
function goesOn(records: readonly Row[], subject: string): boolean {
  const at = (key: string): Row | undefined => records.find(({ pk }) => pk === key);
  const position = Number(at(cursorKey(STEPS, subject))?.position ?? 0);
  return at(placeKey(STEPS, { subject, sequence: position + 1, epoch: 0 }))?.status === 'PENDING';
}
