import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts, type MessageRecord } from '../../support/simulation/facts.js';
import type { Orderly } from '../../support/simulation/orderly.js';
import { accounts } from './accounts.js';
import { alarms } from './alarms.js';
import { answers } from './answers.js';
import { baskets } from './baskets.js';
import { catalog } from './catalog.js';
import { charges } from './charges.js';
import { deliveries } from './deliveries.js';
import {
  listedHasFailed,
  newerIsTriedAgain,
  nothingFails,
  oneFailureForAStep,
  repeatsAreOfTheirStep,
} from './failures.js';
import { inboxes } from './inboxes.js';
import { lanes } from './lanes.js';
import { limits } from './limits.js';
import { meanwhile } from './meanwhile.js';
import { payers } from './payers.js';
import { payments } from './payments.js';
import { people } from './people.js';
import { reports } from './reports.js';
import { requests } from './requests.js';
import { rewards } from './rewards.js';
import { sagaCommits } from './saga-commits.js';
import { sagas } from './sagas.js';
import { state } from './state.js';
import { steps } from './steps.js';
import { strangers } from './strangers.js';
import { transports } from './transports.js';
import { users } from './users.js';
import { violation } from './violation.js';

/**
 * Checks everything that must hold after every fault has healed and everything has come to rest (design, section 1),
 * and what must have held after each write before that.
 * @param meant selects failures that the scenario causes itself, such as a poison message; by default none
 * @returns every broken promise
 */
export function brokenPromises(orderly: Orderly, meant?: (record: MessageRecord) => boolean): readonly Violation[] {
  const facts = new Facts(orderly);
  const broken = [
    ...requests(facts),
    ...strangers(facts),
    ...deliveries(facts),
    ...inboxes(facts),
    ...lanes(facts),
    ...state(facts),
    ...sagas(facts),
    ...sagaCommits(facts),
    ...answers(facts),
    ...accounts(facts),
    ...payments(facts),
    ...payers(facts),
    ...limits(facts),
    ...catalog(facts),
    ...baskets(facts),
    ...charges(facts),
    ...steps(facts),
    ...meanwhile(facts),
    ...transports(facts),
    ...people(facts),
    ...users(facts),
    ...rewards(facts),
    ...reports(facts),
    ...alarms(facts),
    ...nothingFails(facts, meant),
    ...listedHasFailed(facts),
    ...oneFailureForAStep(facts),
    ...repeatsAreOfTheirStep(facts),
    ...newerIsTriedAgain(facts),
  ];
  if (!orderly.cloud.losesMessages) return broken;
  const isJudged = orderly.nextAudit() === undefined;
  return [
    ...broken.filter((one) => !isOfLostBatch(one)),
    ...(isJudged ? [] : [violation('the delivery audit judges every commit', 'some are not judged', 'audit')]),
  ];
}

/**
 * Whether a promise is broken by a lost batch of an outbox alone: its commits are never published. The audit sends their
 * messages to each consumer that subscribes to them, and to no other.
 */
const isOfLostBatch = ({ invariant, detail }: Violation): boolean =>
  invariant === 'a commit is published, or visible as failed' || /Stream: \d+ records LOST/.test(detail);
