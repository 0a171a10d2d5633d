import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Stripe } from '../../support/simulation/stripe.js';
import { creditEnds } from './accounts.js';
import { chargeOne } from './charges.js';
import { payerRaces } from './payers.js';
import { payOnce, payThreeDaysLater, payTrouble } from './payments.js';
import { declineOne } from './sagas.js';

/** A scenario with payments, at Stripe in the place of the sandbox. */
const atStripe = (scenario: Scenario): Scenario => ({
  ...scenario,
  name: `${scenario.name}-at-stripe`,
  // A new environment reads the secret key, and one of an earlier history has it.
  conditions: { ...scenario.conditions, recycle: false },
  play(cloud) {
    Stripe.at(cloud, ['alice', 'bob']);
    return scenario.play(cloud);
  },
});

/** Scenarios of `prod` with its real payment code: they need an assembly whose provider is Stripe. */
export const STRIPE_SCENARIOS: readonly Scenario[] = [
  payOnce,
  payTrouble,
  payThreeDaysLater,
  payerRaces,
  chargeOne,
  declineOne,
  // The list of exhausted accounts receives changes of exhaustion only, in this assembly.
  creditEnds,
].map(atStripe);
