import type { Scenario } from '../../simulator/search/scenario.js';
import { placeOne, readOne } from './place-one.js';
import { cancelRaces, soldOut } from './races.js';
import { busRefuses, poison, relayFails, tooOld } from './trouble.js';
import { twentyOrders } from './twenty-orders.js';

export const SCENARIOS: readonly Scenario[] = [
  placeOne,
  readOne,
  twentyOrders,
  cancelRaces,
  soldOut,
  relayFails,
  busRefuses,
  poison,
  tooOld,
];

/** @throws {Error} naming what there is */
export function scenarioCalled(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`there is no scenario '${name}': ${SCENARIOS.map(({ name }) => name).join(', ')}`);
  return found;
}
