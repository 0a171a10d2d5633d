import { rmSync } from 'node:fs';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { salesOfWindows } from '../../simulation/inboxes/batch.js';
import { partsOfOrders } from '../../simulation/inboxes/collecting.js';
import { stepsOfTills } from '../../simulation/inboxes/sequential.js';
import { frozenParcel, parcelsOfAllKinds } from '../../simulation/inboxes/single.js';
import { SCENARIOS, scenarioCalled } from '../../simulation/scenarios/all.js';
import { STRIPE_SCENARIOS } from '../../simulation/scenarios/stripe.js';
import { WEBHOOK_SCENARIOS } from '../../simulation/scenarios/webhooks-all.js';
import { INBOX_LAMBDAS, inboxesAssembly } from '../inboxes/assembly.js';
import { prodAssembly, stripeAssembly, webhooksAssembly } from './assembly.js';

/** A cloud assembly, and the scenarios that play in it. */
export interface Ground {
  /** Folder of the assembly. */
  readonly folder: string;
  /** Folder of its entry points. @default Orderly's */
  readonly lambdas?: string;
  readonly scenarios: readonly Scenario[];
  /** @throws {Error} if it has no such scenario */
  scenarioCalled(name: string): Scenario;
}

export const orderly: Ground = {
  get folder() {
    return prodAssembly();
  },
  scenarios: SCENARIOS,
  scenarioCalled,
};

const INBOX_SCENARIOS: readonly Scenario[] = [
  parcelsOfAllKinds,
  frozenParcel,
  stepsOfTills,
  salesOfWindows,
  partsOfOrders,
];

let folder: string | undefined;

/** An app that has an inbox of each mode, and one that begins when several events have come. All files of a worker share its assembly. */
export const inboxes: Ground = {
  get folder() {
    if (folder === undefined) {
      const made = inboxesAssembly();
      process.once('exit', () => rmSync(made, { recursive: true, force: true }));
      folder = made;
    }
    return folder;
  },
  lambdas: INBOX_LAMBDAS,
  scenarios: INBOX_SCENARIOS,
  scenarioCalled: (name) => among(INBOX_SCENARIOS, name),
};

/** Orderly with the payment code of `prod`. */
const stripe: Ground = {
  get folder() {
    return stripeAssembly();
  },
  scenarios: STRIPE_SCENARIOS,
  scenarioCalled: (name) => among(STRIPE_SCENARIOS, name),
};

/** Orderly with webhooks. */
const webhooks: Ground = {
  get folder() {
    return webhooksAssembly();
  },
  scenarios: WEBHOOK_SCENARIOS,
  scenarioCalled: (name) => among(WEBHOOK_SCENARIOS, name),
};

/** Grounds beside Orderly's own. */
const GROUNDS: readonly Ground[] = [inboxes, stripe, webhooks];

/** @throws {Error} if there is no scenario of this name */
function among(scenarios: readonly Scenario[], name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`there is no scenario '${name}': ${scenarios.map((one) => one.name).join(', ')}`);
  return found;
}

/** The ground on which a scenario plays. @param scenario a name; Orderly's, unless another ground has it */
export const findGround = (scenario: string): Ground =>
  GROUNDS.find(({ scenarios }) => scenarios.some(({ name }) => name === scenario)) ?? orderly;

/** Every scenario that has no variants. */
export const ALL_SCENARIOS: readonly Scenario[] = [orderly, ...GROUNDS].flatMap(({ scenarios }) => scenarios);
