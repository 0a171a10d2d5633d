import { bugsIn, type PlantedBug } from '../bug.js';

const allotment = bugsIn('lambdas/inventory/domain/allotment.ts');
const reservation = bugsIn('lambdas/inventory/domain/reservation.ts');
const reservationEffects = bugsIn('lambdas/inventory/reservation-effects.ts');
const stockCounter = bugsIn('lambdas/inventory/stock-counter.ts');
const onOrderEvent = bugsIn('lambdas/inventory/on-order-event.ts');

export const INVENTORY: readonly PlantedBug[] = [
  allotment('a lane rejects every order behind the first one that does not fit', 'lane-races', {
    from: '    if (quantity > left) return false;',
    to: `    if (quantity > left) {
      left = 0;
      return false;
    }`,
  }),
  reservation('a release that overtakes its reservation leaves nothing behind', 'cancel-at-48-of-approval', {
    from: "return [{ type: 'ReservationVoided', data: toIds(order) }];",
    to: "return reply(order, { outcome: 'DONE' });",
  }),
  reservation("a repeat of a saga's step is taken, and not answered", 'answers-late', {
    from: `return reply(order, { outcome: 'DONE' });
    case 'REJECTED':`,
    to: "return [];\n    case 'REJECTED':",
  }),
  reservation('a dispatch is heard again, and takes the stock again', 'dispatch-one', {
    from: "reservation.status === 'RESERVED'\n    ? [{ type: 'StockDispatched'",
    to: "reservation.status === 'RESERVED' || reservation.status === 'DISPATCHED'\n    ? [{ type: 'StockDispatched'",
  }),
  reservationEffects('what was dispatched is free again, as if it were released', 'dispatch-one', {
    from: 'event.data.lines.map((line) => dispatch(store.table, line))',
    to: 'event.data.lines.map((line) => release(store.table, line))',
  }),
  stockCounter('stock is taken without looking whether it is there', 'reject-one', {
    from: "const enoughIsThere = 'available >= :quantity';",
    to: "const enoughIsThere = 'attribute_exists(pk) OR available >= :quantity';",
  }),
  stockCounter('what was dispatched is no longer on hand, but still reserved', 'dispatch-one', {
    from: "'SET reserved = reserved - :quantity, onHand = onHand - :quantity'",
    to: "'SET available = available - :quantity, onHand = onHand - :quantity'",
  }),
  onOrderEvent('inventory undo what a saga under way will undo', 'cancel-races', {
    from: 'isLeftToSaga(data)',
    to: 'false',
  }),
];
