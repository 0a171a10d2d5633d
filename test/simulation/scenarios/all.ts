import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { accountLaneByItself, accountLaneOne, accountLaneOrders } from './account-lanes.js';
import { accountOne, bonuses, creditRaces, longLife } from './accounts.js';
import { redriveOnce, relayBehindADay } from './backlogs.js';
import { basketRaces, checkoutRefused, priceRollout } from './baskets.js';
import { burstCalled } from './burst.js';
import { cancelAtCalled } from './cancel-at.js';
import { discontinuedRaces, priceRaces } from './catalog.js';
import { chargeOne, chargeRaces, UNDO_AT, undoAt } from './charges.js';
import { closedAccounts } from './closed-accounts.js';
import { counting } from './counting.js';
import { crashInABatch } from './crashes.js';
import { dispatchOne, dispatchRaces } from './dispatches.js';
import { apiFlood } from './flood.js';
import { forgetRaces } from './forget-races.js';
import { ifMatch } from './if-match.js';
import { keys } from './keys.js';
import { hotOrders, laneByItself, laneFails, laneOne, laneRaces } from './lanes.js';
import { lateApproval } from './late-approval.js';
import { orderLimit, refundLimit } from './limits.js';
import { withLosses, withoutLosses } from './losses.js';
import { numberedCancellations, numbers } from './numbers.js';
import { overload, overloadCalled } from './overload.js';
import { answersLate, deadlinesPass, keysForgotten, participantFails, refundRefused, stuck } from './participants.js';
import { payerRaces } from './payers.js';
import { payOnce, payThreeDaysLater, payTrouble } from './payments.js';
import { audited, auditedLate, auditedOne, messagesLost, placeOne, readOne, rejectOne } from './place-one.js';
import { cancelRaces, soldOut } from './races.js';
import { rebuildCredit, rebuildSwitches, rebuildUnderLoad } from './rebuilds.js';
import { redeliveryTtlAtOnce, redeliveryTtlLags, redeliveryWhileDown } from './redelivery.js';
import { deployedLater } from './replays.js';
import { dailyReports } from './reports.js';
import { RESTORED, restoredTo } from './restored.js';
import { reviewRaces } from './reviews.js';
import { rewardsHeldBack, rewardsInOrder } from './rewards.js';
import { cancelOne, declineOne, stepsRefused } from './sagas.js';
import { forgetAtOnce, rebuildBehindFeed } from './stale-reads.js';
import {
  batchesOverwritten,
  busRefuses,
  consumerFails,
  drainFails,
  poison,
  redriveDaysLater,
  redriveWeeksLater,
  relayCatchesUp,
  relayFails,
} from './trouble.js';
import { twentyOrders } from './twenty-orders.js';
import { twoReleases } from './two-releases.js';
import { userRaces } from './users.js';
import { windowLowered, windowRaised } from './windows.js';

export const SCENARIOS: readonly Scenario[] = [
  placeOne,
  readOne,
  messagesLost,
  audited,
  auditedOne,
  auditedLate,
  rejectOne,
  keys,
  twentyOrders,
  cancelRaces,
  soldOut,
  counting,
  relayFails,
  batchesOverwritten,
  relayCatchesUp,
  relayBehindADay,
  consumerFails,
  redriveOnce,
  redriveDaysLater,
  redriveWeeksLater,
  drainFails,
  redeliveryTtlLags,
  redeliveryTtlAtOnce,
  redeliveryWhileDown,
  windowRaised,
  windowLowered,
  twoReleases,
  busRefuses,
  poison,
  crashInABatch,
  accountOne,
  creditRaces,
  longLife,
  priceRaces,
  payOnce,
  payTrouble,
  payThreeDaysLater,
  payerRaces,
  refundLimit,
  orderLimit,
  chargeOne,
  chargeRaces,
  numbers,
  numberedCancellations,
  declineOne,
  cancelOne,
  lateApproval,
  stepsRefused,
  dispatchOne,
  dispatchRaces,
  answersLate,
  deadlinesPass,
  participantFails,
  keysForgotten,
  stuck,
  refundRefused,
  apiFlood,
  overload,
  forgetRaces,
  rebuildUnderLoad,
  rebuildCredit,
  rebuildSwitches,
  discontinuedRaces,
  userRaces,
  reviewRaces,
  bonuses,
  closedAccounts,
  ifMatch,
  basketRaces,
  priceRollout,
  checkoutRefused,
  laneOne,
  hotOrders,
  laneRaces,
  laneByItself,
  laneFails,
  accountLaneOne,
  accountLaneOrders,
  accountLaneByItself,
  rewardsInOrder,
  rewardsHeldBack,
  dailyReports,
  forgetAtOnce,
  rebuildBehindFeed,
  deployedLater,
  ...RESTORED.map(restoredTo),
];

/**
 * @param name one of the list, `burst-of-<orders>`, `overload-of-<orders>`, `cancel-at-<moment>-of-<approval|rejection|decline>` or
 *   `undo-at-<moment>-of-<amount>`; each with `:losses` behind it
 * @throws {Error} names the existing scenarios
 */
export function scenarioCalled(name: string): Scenario {
  const base = withoutLosses(name);
  if (base !== undefined) return withLosses(scenarioCalled(base));
  const found =
    burstCalled(name) ??
    overloadCalled(name) ??
    cancelAtCalled(name) ??
    SCENARIOS.find((scenario) => scenario.name === name);
  if (found) return found;
  const [, undone, amount] = UNDO_AT.exec(name) ?? [];
  if (undone !== undefined) return undoAt(Number(undone), Number(amount));
  throw new Error(`there is no scenario '${name}': ${SCENARIOS.map(({ name }) => name).join(', ')}`);
}
