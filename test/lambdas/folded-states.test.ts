import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  APPROVED_STATES,
  findShapeFaults,
  foldedStates,
  type StateShape,
  unfoldedFields,
} from '../support/folded-states.js';

const present = await foldedStates();

test('each folded state has the approved shape under its stateSchema', () => {
  expect(findShapeFaults(JSON.parse(readFileSync(APPROVED_STATES, 'utf8')), present)).toEqual([]);
});

describe('a state', () => {
  const state: StateShape = { stateSchema: 4, shapes: { OPEN: { status: 'string', 'hour.of': 'string' } } };
  const renamed = { OPEN: { status: 'string', 'hour.begins': 'string' } };
  const faults = (now: StateShape) => findShapeFaults({ accountDecider: state }, { accountDecider: now });

  test('a state that is as approved is accepted', () => expect(faults(state)).toEqual([]));
  test.each([
    [
      'with a renamed field under the same number',
      { ...state, shapes: renamed },
      /OPEN\.hour\.begins.*raise stateSchema/,
    ],
    [
      'with a field of another type',
      { ...state, shapes: { OPEN: { status: 'string', 'hour.of': 'number' } } },
      /raise/,
    ],
    ['with a lower number', { stateSchema: 3, shapes: renamed }, /raise stateSchema/],
    ['with another number only', { ...state, stateSchema: 5 }, /no field changed.*npm run docs/],
    ['with both, until they are approved', { stateSchema: 5, shapes: renamed }, /instead of 4.*npm run docs/],
  ])('%s is refused', (_, now, fault) => expect(faults(now)).toEqual([expect.stringMatching(fault)]));
  test('a state without an approved shape is refused', () =>
    expect(findShapeFaults({}, { accountDecider: state })).toEqual([expect.stringMatching(/npm run docs/)]));
});

/** Fields of events that only consumers, histories and answers show. */
const NOT_FOLDED: readonly string[] = [
  'Account AccountClosed.reason',
  'Account AccountReopened.at',
  'Account AccountReopened.reason',
  'Account BonusApplied.points',
  'Account BonusApplied.reason',
  'Account ExhaustedAccountChanged.exhausted',
  'CreateOrderSaga CompensationDone.at',
  'CreateOrderSaga CompensationDone.by',
  'CreateOrderSaga CompensationDone.note',
  'CreateOrderSaga SagaCompensated.at',
  'CreateOrderSaga SagaCompleted.at',
  'CreateOrderSaga SagaFailed.at',
  'CreateOrderSaga SagaStarted.at',
  'CreateOrderSaga SagaStuck.at',
  'CreateOrderSaga SagaStuck.step',
  'CreateOrderSaga StepDone.at',
  'CreateOrderSaga StepDone.step',
  'CreateOrderSaga StepHeld.at',
  'Order OrderReviewEnded.sealedNote',
  'Payment PaymentCharged.amount',
  'Payment PaymentCharged.fee',
  'Product ProductAdded.sku',
  'Product ProductDiscontinued.sku',
  'Product ProductPriceChanged.oldUnitPrice',
  'Product ProductPriceChanged.sku',
  'Product ProductRenamed.oldName',
  'Product ProductRenamed.sku',
  'Product ProductResumed.sku',
  'Reservation StockRejected.reason',
  'Reservation StockReleased.lines',
  'User UserStatusChanged.oldStatus',
  'User UserStatusChanged.sealedReason',
];

test('each field of an event is folded, or is named as one that its state does not need', async () => {
  const message = 'fold the field in evolve (and raise stateSchema), or add it to NOT_FOLDED';
  expect(await unfoldedFields(), message).toEqual(NOT_FOLDED);
});
