import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Assembly } from '../assembly/assembly.js';
import { type Cloud, Deployment } from '../cloud/cloud.js';
import type { FaultKind } from '../engine/faults.js';
import { playSeed, playWithFaults, type Scenario } from '../search/scenario.js';
import { allowStatement, CLIENT, functionResource, writeAssembly } from '../support/clouds.js';

/** A function whose module awaits the value of a parameter. */
const READS = `${CLIENT}
  const { status, body } = await call('AmazonSSM.GetParameter', { Name: '/shop/rate' });
  if (status !== 200) throw new RangeError('no rate');
  const rate = body.Parameter.Value;
  export const handler = async () => rate;`;

function deploy(source: string): Deployment {
  const resources = {
    ...functionResource('Work', [allowStatement(['ssm:GetParameter'], '*')]),
    Rate: { Type: 'AWS::SSM::Parameter', Properties: { Name: '/shop/rate', Type: 'String', Value: '7' } },
  };
  const folder = writeAssembly(resources, { Work: source });
  writeFileSync(join(folder, 'asset.Work', 'package.json'), '{"type":"module"}');
  return new Deployment(new Assembly(folder));
}

/** Invokes the function twice, one after the other. */
function scenario(results: unknown[]): Scenario {
  return {
    name: 'reads-a-rate',
    faultProbability: 0,
    async play(cloud: Cloud) {
      for (let times = 0; times < 2; times++) {
        cloud.fn('Shop/Work').invoke({}, (result) => results.push(result));
        await cloud.world.settle();
      }
      return [];
    },
  };
}

test('a module that awaits a call is loaded before its handler is called, once for an environment', async () => {
  const results: unknown[] = [];
  const { trace } = await playSeed(deploy(READS), scenario(results), '1');
  expect(results).toEqual([
    { kind: 'returned', value: '7' },
    { kind: 'returned', value: '7' },
  ]);
  expect(trace.filter((line) => /Work call \d+ ssm.GetParameter/.test(line))).toHaveLength(1);
});

test('one seed is one history, in which the module makes its call', async () => {
  const deployment = deploy(READS);
  const fingerprints = new Set<string>();
  for (let times = 0; times < 3; times++) fingerprints.add((await playSeed(deployment, scenario([]), '1')).fingerprint);
  expect(fingerprints.size).toBe(1);
});

test.each<[kind: FaultKind, message: string]>([
  ['refused', 'no rate'],
  ['killed-after', 'signal: killed'],
  ['hung-after', 'timed out'],
])('a module whose call is %s fails the invocation (%s), and the next one loads it again', async (kind, message) => {
  const results: unknown[] = [];
  await playWithFaults(deploy(READS), scenario(results), '1', [{ point: 'Shop/Work call 1', kind }]);
  expect(results).toMatchObject([
    { kind: 'failed', message: expect.stringContaining(message) },
    { kind: 'returned', value: '7' },
  ]);
});

test.each([
  ["await 1; throw new RangeError('early');", { name: 'RangeError', message: 'early' }],
  [
    'await 1; export const other = 1;',
    { name: 'Runtime.HandlerNotFound', message: 'index.handler is undefined or not exported' },
  ],
])('a module that ends so fails each invocation: %s', async (source, error) => {
  const results: unknown[] = [];
  await playSeed(deploy(source), scenario(results), '1');
  expect(results).toMatchObject([
    { kind: 'failed', ...error },
    { kind: 'failed', ...error },
  ]);
});
