import { expect, test } from 'vitest';
import type { Obstacle } from '../assembly/obstacles.js';
import { renderObstacles } from './render-obstacles.js';

const lacking = (label: string, ...install: string[]): Obstacle => ({
  type: 'AWS::Lambda::Function',
  label,
  what: 'its code needs packages that are not installed here',
  mayBeIgnored: false,
  install,
});

test('an assembly without obstacles gets both commands', () =>
  expect(renderObstacles('cdk.out', [])).toBe(
    'cdk.out: nothing stands in the way\n  search it for faults: npx orderly-simulate cdk.out\n  run it:               npx orderly-local cdk.out',
  ));

test('missing packages of all functions are one command', () =>
  expect(
    renderObstacles('cdk.out', [lacking('Place', 'esbuild', '@aws-sdk/client-sqs'), lacking('Work', 'esbuild')]),
  ).toBe(
    "cdk.out: the code of 2 functions needs packages that are not installed here.\nLambda's runtime or a layer has them, so they aren't in the bundles:\n" +
      '  npm install --save-dev esbuild @aws-sdk/client-sqs',
  ));

test('beside other obstacles, missing packages are one command too', () => {
  const map = { type: 'AWS::AppSync::Api', label: 'Api', what: 'no model of this type', mayBeIgnored: false };
  const text = renderObstacles('cdk.out', [map, lacking('Work', 'esbuild')]);
  expect(text).toContain('AWS::AppSync::Api: no model of this type');
  expect(text).toContain('Install what is missing: npm install --save-dev esbuild');
});
