import { dueIn } from '@orderly/kit/testing';
import type { Cloud } from '@orderly/simulator';
import { DUE_INDEX } from '../../packages/kit/timers/contract.js';

/**
 * Tells a simulated cloud when a sweeper finds work, so that time can be forwarded without the ticks that find none: the
 * earliest due record of any service.
 */
export const awaitsDueRecords = (cloud: Cloud) => {
  const tables = cloud.dynamodb.tables().filter((table) => cloud.dynamodb.definitionOf(table).indexes.has(DUE_INDEX));
  return (): number | undefined => dueIn(tables.flatMap((table) => cloud.itemsOf(table)));
};
