import { expect, test } from 'vitest';
import { playWithFaults } from '../../../packages/simulator/search/scenario.js';
import { deployment, keepPromises } from './playing.js';
import { stepsOfTills } from './sequential.js';
import { itemsIn } from './shop.js';

/** An inbox in mode sequential as it is deployed: nothing but the inbox guards the order of the effects. */

test('each till has its steps in their order without a fault, whatever order they came in', async () => {
  const { violations, cloud } = await playWithFaults(deployment, stepsOfTills, 'singles');
  expect(violations).toEqual([]);
  const tills = Object.fromEntries(itemsIn(cloud).map(({ pk, steps }) => [pk, steps]));
  expect(tills).toEqual({ 'Till#ordered': [1, 3, 4], 'Till#reversed': [1, 2, 4], 'Till#held': [1] });
});

keepPromises([stepsOfTills], 500);
