import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { Assembly } from '../assembly/assembly.js';
import type { Json } from '../assembly/intrinsics.js';
import { checkAssembly } from '../cloud/check-assembly.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import { addAssetFiles, functionResource, resultsOf, writeAssembly } from '../support/clouds.js';

const layer = (name: string) => ({
  Type: 'AWS::Lambda::LayerVersion',
  Properties: { Content: { S3Key: `${name}.zip` } },
});

/** Writes an app with a function, two layers, and their files. @returns its folder */
function appWith(Layers: Json, code: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = writeAssembly(
    { ...functionResource('Work', [], { Layers }), One: layer('one'), Two: layer('two') },
    { Work: code },
  );
  addAssetFiles(folder, { 'one/nodejs/x.js': '', 'two/nodejs/x.js': '', ...files });
  return folder;
}

async function answerOf(folder: string): Promise<unknown> {
  const cloud = new Cloud(new Deployment(new Assembly(folder)), { seed: '1' });
  return resultsOf(cloud);
}

const BOTH = [{ Ref: 'One' }, { Ref: 'Two' }];
const returned = (value: unknown) => [{ kind: 'returned', value }];

/** AWS Lambda, "Packaging your layer content" and "Adding layers to functions". */
test('code has the files of its layers in /opt, a later one over an earlier one', async () => {
  const code = "exports.handler = async () => [require('/opt/nodejs/a').a, require('/opt/nodejs/b').b];";
  const files = {
    'one/nodejs/a.js': "exports.a = 'one';",
    'one/nodejs/b.js': "exports.b = 'one';",
    'two/nodejs/b.js': "exports.b = require('./c');",
    'two/nodejs/c.js': "module.exports = 'two';",
  };
  expect(await answerOf(appWith(BOTH, code, files))).toEqual(returned(['one', 'two']));
});

test('code has the packages of its layers', async () => {
  const files = { 'one/nodejs/node_modules/three/index.js': 'module.exports = 3;' };
  const code = "exports.handler = async () => require('three');";
  expect(await answerOf(appWith(BOTH, code, files))).toEqual(returned(3));
  // Those of another function's layers are not there.
  expect(await answerOf(appWith([{ Ref: 'Two' }], code, files))).toMatchObject([{ kind: 'failed' }]);
});

test('a layer that is not of the assembly is named, and one that only measures is not', () => {
  const insights = 'arn:aws:lambda:eu-west-1:580247275435:layer:LambdaInsightsExtension:21';
  const other = 'arn:aws:lambda:eu-west-1:123456789012:layer:sharp:3';
  const found = checkAssembly(appWith([insights, other], 'exports.handler = async () => 1;'));
  expect(found.map(({ what, mayBeIgnored }) => [what, mayBeIgnored])).toEqual([[`the layer ${other}`, true]]);
});

test.each([
  'arn:aws:lambda:eu-west-1:094274105915:layer:AWSLambdaPowertoolsTypeScriptV2:34',
  '/aws/service/powertools/typescript/generic/all/latest',
])('code has the packages of Powertools from the project, where %s would have them', async (name) => {
  const code = `exports.handler = async () => typeof require('@aws-lambda-powertools/idempotency').makeIdempotent;`;
  const app = appWith([name], code);
  expect(checkAssembly(app)).toEqual([]);
  expect(await answerOf(app)).toEqual(returned('function'));
  const missing = appWith([name], `require('@aws-lambda-powertools/nothing'); exports.handler = async () => 1;`);
  expect(checkAssembly(missing)).toMatchObject([{ install: ['@aws-lambda-powertools/nothing'] }]);
});

test('without that layer, a package of Powertools which the code lacks is missing, as at AWS', async () => {
  const code = `exports.handler = async () => require('@aws-lambda-powertools/idempotency');`;
  expect(await answerOf(appWith([], code))).toMatchObject([{ kind: 'failed' }]);
});

/** Puts a zip file in the place of a folder of an app. */
function zip(app: string, name: string, files: Readonly<Record<string, string>>): void {
  rmSync(join(app, `asset.${name}`), { recursive: true });
  const entries = Object.entries(files).map(([path, text]) => [path, strToU8(text)]);
  writeFileSync(join(app, `asset.${name}.zip`), zipSync(Object.fromEntries(entries)));
}

test('code and layers in zip files are unpacked', async () => {
  const app = appWith([{ Ref: 'One' }], 'exports.handler = 1;');
  zip(app, 'Work', {
    'index.js': "exports.handler = async () => [require('./lib/a').a, require('three')];",
    'lib/a.js': "exports.a = 'zipped';",
  });
  zip(app, 'one', { 'nodejs/node_modules/three/index.js': 'module.exports = 3;' });
  expect(checkAssembly(app)).toEqual([]);
  expect(await answerOf(app)).toEqual(returned(['zipped', 3]));
});

test('a zip file that can not be unpacked is named', () => {
  const app = appWith([], 'exports.handler = 1;');
  zip(app, 'Work', {});
  writeFileSync(join(app, 'asset.Work.zip'), 'no zip file');
  expect(checkAssembly(app).map(({ what }) => what)).toEqual([
    expect.stringMatching(/asset\.Work\.zip can't be unpacked/),
  ]);
});
