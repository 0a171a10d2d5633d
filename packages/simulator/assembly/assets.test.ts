import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { Cloud, Deployment } from '../cloud/cloud.js';
import { functionResource, resultsOf, writeAssembly } from '../support/clouds.js';
import { Assembly } from './assembly.js';

async function answerOf(folder: string): Promise<unknown> {
  const cloud = new Cloud(new Deployment(new Assembly(folder)), { seed: '1' });
  return resultsOf(cloud);
}

const returned = (value: unknown) => [{ kind: 'returned', value }];

/** Writes an app whose function has a key in S3 that tells nothing of its folder. @returns its folder */
function appWith(S3Key: string, code: string): string {
  const app = writeAssembly(functionResource('Work'));
  const template = readFileSync(join(app, 'shop.json'), 'utf8');
  writeFileSync(join(app, 'shop.json'), template.replace('Work.zip', S3Key));
  rmSync(join(app, 'asset.Work'), { recursive: true });
  mkdirSync(join(app, 'asset.abc.0'));
  writeFileSync(join(app, 'asset.abc.0', 'index.js'), code);
  return app;
}

/** Writes a file of assets as the CDK does, with one asset. */
const writeAssets = (folder: string, path: string, objectKey: string, packaging = 'zip'): void =>
  writeFileSync(
    join(folder, 'Shop.assets.json'),
    JSON.stringify({
      version: '48.0.0',
      files: {
        made: { source: { executable: ['make'] }, destinations: { current: { objectKey: 'made.zip' } } },
        abc: { source: { path, packaging }, destinations: { current: { bucketName: 'assets', objectKey } } },
      },
    }),
  );

const CODE = "exports.handler = async () => 'found';";

/** AWS CDK, "DefaultStackSynthesizer": `bucketPrefix` is a part of each asset's key. */
test.each([
  ['pre/abc.zip', 'pre/abc.zip'],
  ['of-123456789012/abc.zip', 'of-$'.concat('{AWS::AccountId}/abc.zip')],
])('code is where the file of assets says: %s', async (S3Key, objectKey) => {
  const app = appWith(S3Key, CODE);
  writeAssets(app, 'asset.abc.0', objectKey);
  expect(await answerOf(app)).toEqual(returned('found'));
});

test('a zip file that the file of assets names is unpacked', async () => {
  const app = appWith('pre/abc.zip', '');
  writeFileSync(join(app, 'code.zip'), zipSync({ 'index.js': strToU8(CODE) }));
  writeAssets(app, 'code.zip', 'pre/abc.zip', 'file');
  expect(await answerOf(app)).toEqual(returned('found'));
});

test('a stage names its assets, which are in the folder of the app', async () => {
  const stage = appWith('pre/abc.zip', CODE);
  const app = mkdtempSync(join(tmpdir(), 'simulator-'));
  renameSync(join(stage, 'asset.abc.0'), join(app, 'asset.abc.0'));
  renameSync(stage, join(app, 'assembly-prod'));
  writeAssets(join(app, 'assembly-prod'), '../asset.abc.0', 'pre/abc.zip');
  const properties = { directoryName: 'assembly-prod' };
  writeFileSync(
    join(app, 'manifest.json'),
    JSON.stringify({ artifacts: { 'assembly-prod': { type: 'cdk:cloud-assembly', properties } } }),
  );
  expect(await answerOf(app)).toEqual(returned('found'));
  expect(await answerOf(join(app, 'assembly-prod'))).toEqual(returned('found'));
});

test('a file of assets that names what is not there leaves the usual name', async () => {
  const app = writeAssembly(functionResource('Work'), { Work: CODE });
  writeAssets(app, 'asset.elsewhere', 'Work.zip');
  expect(await answerOf(app)).toEqual(returned('found'));
});
