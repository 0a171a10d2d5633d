import { expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { Facts } from '../support/simulation/facts.js';
import { Orderly } from '../support/simulation/orderly.js';
import { commandOf } from './cli/replay.js';
import { AT_REST, undoAt } from './scenarios/charges.js';

const deployment = loadSharedDeployment(prodAssembly());

/** How a payment went, whenever it was undone; answers to the steps aside. */
async function waysOf(): Promise<readonly string[]> {
  const ways = new Set<string>();
  for (let moment = 0, atRest = false; !atRest; moment++) {
    const history = await playWithFaults(deployment, undoAt(moment, 1000), 'singles');
    if (history.violations.length > 0) expect.fail(renderReport(history, commandOf(history, 'singles')));
    for (const commits of new Facts(new Orderly(history.cloud)).payments.values()) {
      const types = commits.flatMap(({ events }) => events.map(({ type }) => type));
      ways.add(types.filter((type) => type !== 'SagaReplyRequested').join(' '));
    }
    atRest = history.trace.some((line) => line.includes(AT_REST));
  }
  return [...ways];
}

const TO_PROVIDER = 'PaymentRequested PaymentPrepared';
const GIVEN_BACK = 'RefundRequested PaymentRefunded';

test('a compensation at any moment of a charge leaves no money kept', async () => {
  expect((await waysOf()).toSorted()).toEqual(
    [
      'PaymentVoided',
      'PaymentRequested PaymentDeclined',
      `${TO_PROVIDER} VoidRequested PaymentDeclined`,
      `${TO_PROVIDER} VoidRequested PaymentCharged ${GIVEN_BACK}`,
      `${TO_PROVIDER} PaymentCharged VoidRequested ${GIVEN_BACK}`,
    ].toSorted(),
  );
});
