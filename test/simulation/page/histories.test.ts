import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../packages/simulator/engine/faults.js';
import { openHistory } from '../../../packages/simulator/histories/play.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { replay, replayOf } from '../cli/replay.js';
import { planted } from '../planted/plant.js';
import { payOnce } from '../scenarios/payments.js';
import { findGuard, GUARDS } from './guards.js';
import { histories } from './histories.js';
import { CRASH, FIVE_TIMES } from './naive-and-idempotent.js';

/** A single fault that finds each guard's absence. */
const FOUND: Readonly<Record<string, Fault>> = {
  'processed-record': { point: 'Payments/Outbox/Relay call 3', kind: 'killed-after' },
  'bus-entry': { point: 'Payments/Outbox/Relay call 1', kind: 'entry-refused' },
  'provider-key': { point: 'Payments/Provider/Queue message 2', kind: 'duplicate' },
};

describe('histories that the page plays', () => {
  test('have a fault for each guard here', () => expect(Object.keys(FOUND)).toEqual(GUARDS.map(({ id }) => id)));

  test.each(Object.entries(FOUND))('break a promise without the guard %s, and none with it', async (id, fault) => {
    const { bug, promise } = findGuard(id);
    const sound = await openHistory(loadSharedDeployment(prodAssembly()), payOnce, [fault]);
    expect(sound.violations).toEqual([]);
    const broken = await openHistory(await planted(prodAssembly(), bug), payOnce, [fault]);
    expect(broken.violations.map(({ invariant }) => invariant)).not.toEqual([]);
    expect(broken.faults).toEqual([fault]);
    expect(promise.toLowerCase()).toContain(broken.violations[0]?.invariant.slice(2));
  });

  test('tell their deliveries, with the fault', async () => {
    const fault: Fault = { point: 'Payments/OnProvider call 3', kind: 'killed-after' };
    const { happenings } = await openHistory(loadSharedDeployment(prodAssembly()), payOnce, [fault]);
    const outcomes = happenings
      .filter(({ owner }) => owner === 'Payments/OnProvider')
      .map((one) => one.fault ?? one.outcome);
    expect(outcomes.slice(0, 5)).toEqual(['began', 'killed-after', 'crashed', 'began', 'applied']);
  });

  test('are played again by their command', async () => {
    const [, fault] = Object.entries(FOUND)[0] as [string, Fault];
    const command = histories.replay?.({ scenario: payOnce, faults: [fault], guard: 'processed-record' }) ?? '';
    expect(command).toBe(
      'npm run simulate -- --scenario pay-once --fault "Payments/Outbox/Relay call 3: killed-after" --planted "the processed record replaces an earlier one"',
    );
    const { faults } = await replay(
      replayOf(['--scenario', 'pay-once', '--fault', `${fault.point}: ${fault.kind}`]),
      loadSharedDeployment(prodAssembly()),
    );
    expect(faults).toEqual([fault]);
  });
});

describe('a naive consumer beside the idempotent one', () => {
  test.each([
    [FIVE_TIMES, 'Charged 5 times: EUR 50.00'],
    [CRASH, 'Charged 2 times: EUR 20.00'],
  ])('$id', async ({ play }, wrong) => {
    const { consumers } = await play();
    expect(consumers.map(({ effect, isRight }) => [effect, isRight])).toEqual([
      [wrong, false],
      ['Charged once: EUR 10.00', true],
    ]);
    for (const { owner, happenings } of consumers) expect(happenings.some((one) => one.owner === owner)).toBe(true);
  });
});
