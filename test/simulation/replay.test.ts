import { expect, test } from 'vitest';
import type { Fault } from '../../packages/simulator/engine/faults.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { planted } from './planted/plant.js';
import { deployedLater } from './scenarios/replays.js';

const folder = prodAssembly();
const deployment = loadSharedDeployment(folder);

test('consumers that are deployed later are brought to date from the first event on, while events come', async () => {
  const history = await playWithFaults(deployment, deployedLater, 'replay');
  if (history.violations.length > 0) expect.fail(renderReport(history, 'replay.test.ts'));
});

/** Functions die after an effect and before they say so, and a replayed message comes twice. */
const FAULTS: readonly Fault[] = [
  { point: 'Accounts/OnSettlements call 3', kind: 'killed-after' },
  { point: 'Accounts/Settlements/Queue message 2', kind: 'duplicate' },
  { point: 'Rewards/OnAccountEvents call 1', kind: 'killed-after' },
  { point: 'Rewards/RunAccountEvents call 7', kind: 'killed-after' },
];

test('each event has one effect, although functions crash during the replay', async () => {
  const history = await playWithFaults(deployment, deployedLater, 'replay', FAULTS);
  if (history.violations.length > 0) expect.fail(renderReport(history, 'replay.test.ts'));
  expect(history.faults).toHaveLength(FAULTS.length);
});

test.each([
  [
    'a consumer does not know since when it is deployed',
    'packages/kit/idempotent-consumer/consumer.ts',
    ', since: readConsumerSince() }',
    ' }',
    /accounts\/on-payment-event$/,
  ],
  [
    'a sequential inbox refuses what its cursor recognises',
    'packages/kit/inbox/receiver.ts',
    "if (tooOld && this.options.mode !== 'sequential') throw tooOld;",
    'if (tooOld) throw tooOld;',
    /kit\/inbox\/receive$/,
  ],
])('it is found when %s', async (name, file, from, to, only) => {
  const bug = { name, scenario: deployedLater.name, source: { file, from, to, only } };
  const { violations } = await playWithFaults(await planted(folder, bug), deployedLater, 'replay');
  expect(violations).not.toEqual([]);
});
