import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Assembly } from '../../packages/simulator/assembly/assembly.js';
import { stripeAssembly } from '../../test/support/simulation/assembly.js';
import type { Budget } from './budget.js';
import { type Counted, countCases } from './cases.js';
import { countRival } from './rivals/play.js';
import { countWebhooks } from './webhooks.js';

/** Counts everything that the budget holds. It takes about a minute. */
export const countAll = async (): Promise<Budget> => ({ ...(await countOrders()), webhooks: await countWebhooks() });

/** Counts all but webhooks, in half of the time. */
export async function countOrders(): Promise<Omit<Budget, 'webhooks'>> {
  const counted = await countCases();
  const rivals = {
    saga: await countRival('saga'),
    standard: await countRival('standard'),
    express: await countRival('express'),
  };
  return { ...counted, bundles: bundlesOf(counted), rivals };
}

/** Returns the bytes of the bundle of each function that ran, as it is deployed. */
function bundlesOf({ memory }: Counted): Budget['bundles'] {
  const assembly = new Assembly(stripeAssembly());
  const sizes = assembly.findByType('AWS::Lambda::Function').flatMap(({ label, properties }) => {
    const name = label.replace(/\/Function$/, '');
    const file = join(assembly.assetFolder(properties.Code), 'index.js');
    return name in memory ? [[name, statSync(file).size] as const] : [];
  });
  return Object.fromEntries(sizes.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
