import { mkdtempSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkAssembly } from '../cloud/check-assembly.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import { functionResource, resultsOf, writeAssembly } from '../support/clouds.js';
import { Assembly } from './assembly.js';

/** Writes an app with these stages, each with a function whose asset is in the folder of the app. @param own resources of a stack beside them */
function appWith(stages: readonly string[], own?: Parameters<typeof writeAssembly>[0]): string {
  const app = own === undefined ? mkdtempSync(join(tmpdir(), 'simulator-')) : writeAssembly(own);
  const artifacts = Object.fromEntries(
    stages.map((name) => {
      const folder = writeAssembly(functionResource(name), { [name]: `exports.handler = async () => '${name}';` });
      const assets = readdirSync(folder).filter((file) => file.startsWith('asset.'));
      for (const asset of assets) renameSync(join(folder, asset), join(app, asset));
      renameSync(folder, join(app, `assembly-${name}`));
      return [`assembly-${name}`, { type: 'cdk:cloud-assembly', properties: { directoryName: `assembly-${name}` } }];
    }),
  );
  const stack = { type: 'aws:cloudformation:stack', properties: { templateFile: 'shop.json', stackName: 'Pipe' } };
  writeFileSync(
    join(app, 'manifest.json'),
    JSON.stringify({ artifacts: { ...artifacts, ...(own !== undefined && { Pipe: stack }) } }),
  );
  return app;
}

async function answerOf(folder: string, fn: string): Promise<unknown> {
  const cloud = new Cloud(new Deployment(new Assembly(folder)), { seed: '1' });
  return resultsOf(cloud, `Shop/${fn}`);
}

const PIPELINE = { Pipeline: { Type: 'AWS::CodePipeline::Pipeline', Properties: {} } };

/** AWS CDK Developer Guide, "Introduction to AWS CDK stages": a stage's stacks are in an assembly of their own. */
test('the stacks of an only stage are the app, also behind a pipeline, with assets of the folder above', async () => {
  const returned = [{ kind: 'returned', value: 'Prod' }];
  expect(await answerOf(appWith(['Prod']), 'Prod')).toEqual(returned);
  expect(await answerOf(appWith(['Prod'], PIPELINE), 'Prod')).toEqual(returned);
});

test('one of several stages is named by its folder', async () => {
  const app = appWith(['Test', 'Prod'], PIPELINE);
  const stages = ['Test', 'Prod'].map((name) => join(app, `assembly-${name}`));
  expect(() => checkAssembly(app)).toThrow(
    `${app} has several apps (${stages.join('; ')}): name the folder of one stage`,
  );
  expect(await answerOf(stages[1] ?? '', 'Prod')).toEqual([{ kind: 'returned', value: 'Prod' }]);
});

test('stacks beside a stage are not left out', () => {
  expect(() => checkAssembly(appWith(['Prod'], functionResource('Work')))).toThrow('(the stacks Pipe; ');
});
