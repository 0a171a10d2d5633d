import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('.', import.meta.url));

/** Folders of the simulator from the ground up; each service is a floor. A folder imports floors below it only, types included. */
const FLOORS = [
  // What a history is made of: templates, time and chance, code that runs, patterns, protocols.
  'assembly',
  'deployments',
  'engine',
  'runtime',
  'patterns',
  'wire',
  // Services of AWS.
  'services/iam',
  'services/kinesis',
  'services/kms',
  'services/secretsmanager',
  'services/ssm',
  'services/dynamodb',
  'services/sqs',
  'services/events',
  'services/s3',
  'services/sns',
  'services/lambda',
  'services/states',
  'services/cognito',
  'services/pipes',
  'services/scheduler',
  'services/apigateway',
  'services/httpapi',
  'services/cloudformation',
  'services/logs',
  'services/cloudwatch',
  'services/sts',
  // An account of all of them.
  'cloud',
  // Those who play with it.
  'client',
  'search',
  'histories',
  'live',
  'releases',
];
/** Of tests: what they share, and cases that were recorded at AWS. */
const OF_TESTS = ['support', 'conformance'];

const floorOf = (file: string): string => {
  const [folder = '', service = '', ...rest] = file.split('/');
  if (service === '') return '';
  return folder === 'services' && rest.length > 0 ? `${folder}/${service}` : folder;
};

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));

test('every folder of the simulator has its floor', () =>
  expect(new Set(files.map(floorOf))).toEqual(new Set(['', ...FLOORS, ...OF_TESTS])));

test('no folder of the simulator imports a floor above it, or what only tests use', () => {
  const sources = files.filter((file) => !file.endsWith('.test.ts') && FLOORS.includes(floorOf(file)));
  const up = sources.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const targets = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)].map(([, specifier = '']) =>
      normalize(join(dirname(file), specifier)),
    );
    // What has no floor is the index above all of them, or a test's.
    const isBelow = (target: string): boolean =>
      FLOORS.includes(floorOf(target)) && FLOORS.indexOf(floorOf(target)) <= FLOORS.indexOf(floorOf(file));
    return targets.filter((target) => !isBelow(target)).map((target) => `${file} imports ${target}`);
  });
  expect(up, 'move what is imported down, or the importing file up; the order is in this test').toEqual([]);
});
