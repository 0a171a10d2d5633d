import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { type RebuildRequest, rebuilder } from '@orderly/kit/projection';
import type { Context } from 'aws-lambda';
import { orders } from './aggregates.js';
import { listStatuses } from './list-statuses.js';
import { createOrdersList } from './order-list.js';
import { statusesStep } from './user-status.js';

const ordersList = createOrdersList(eventStoreFromEnvironment(orders));
const rebuild = rebuilder(ordersList);
/** Milliseconds before the function's timeout in which no further page of statuses is begun. */
const RESERVE_MS = 20_000;

/**
 * Rebuilds customers' lists beside the ones in use; an operator's command calls it until the rebuild is complete. The users' statuses
 * beside the lists, which no rebuild touches, are completed before it begins.
 * @throws {Error} if a call's time didn't suffice for all statuses; the next one continues
 */
export const handler = async (request: RebuildRequest, context: Context) => {
  if (request.action === 'begin' && statusesStep() !== 'apart') {
    const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MS;
    if (!(await listStatuses(ordersList.table, hasTime)))
      throw new Error("the copying of users' statuses was not finished: begin the rebuild again, and it continues");
  }
  return rebuild(request, context);
};
