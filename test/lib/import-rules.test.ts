import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

/** Project with the same folders and rules, in which each file is one breach or one permitted import. */
const house = mkdtempSync(join(tmpdir(), 'orderly-imports-'));
afterAll(() => rmSync(house, { recursive: true, force: true }));

const importing = (...from: string[]) =>
  [
    ...from.map((path, at) => `import { a as a${at} } from '${path}';`),
    `export const all = [${from.map((_, at) => `a${at}`)}];`,
    '',
  ].join('\n');

const ALLOWED: Readonly<Record<string, string>> = {
  'lambdas/orders/domain/order.ts': `${importing(
    '../contract.js',
    './money.js',
    '../../inventory/contract.js',
    '@orderly/kit/decider',
    '@orderly/kit/messages',
    '@orderly/kit/saga',
  )}export const at = new Date('2026-01-01');\nexport const most = Math.max(1, 2);\n`,
  'lambdas/orders/order-store.ts': importing(
    './domain/order.js',
    '../app.js',
    '../inventory/contract.js',
    '@orderly/kit/aws',
    '@orderly/kit/messages',
    'uuid',
  ),
  'lambdas/operations/order-facts.ts': importing(
    '@orderly/operator',
    '../accounts/contract.js',
    '../orders/domain/order.js',
    '../orders/keys.js',
  ),
  'lambdas/problems.ts': importing('@orderly/kit/http', './app.js'),
  'packages/kit/outbox/relay.ts': importing('../messages/contract.js', '../aws/clock.js', '@aws-sdk/client-sqs'),
  'packages/operator/failures/failures.ts': importing(
    '@orderly/kit/internal/failures/failure-records.js',
    '../records/records.js',
    '@aws-sdk/client-sqs',
  ),
  'packages/operator/commands/failures.ts': importing('../cli/command.js', '../failures/failures.js'),
  'packages/kit/outbox/outbox.construct.ts': importing(
    '../failures/contract.js',
    '../idempotent-receiver/contract.js',
    '../messages/contract.js',
    '../messages/keys.js',
    '../base/outputs.js',
    '../personal-data/contract.js',
    '../projection/contract.js',
    '../aws/app-names.js',
    '../aws/environment.js',
    '../aws/metric-names.js',
    '../http/answer-headers.js',
    '../base/tables.construct.js',
    'aws-cdk-lib',
  ),
  'bin/orderly-app.ts': importing('../lib/environment.js', '../tools/local/dev-issuer.js', '@orderly/kit/constructs'),
  'lib/orders-stack.ts': importing(
    '../lambdas/app.js',
    '../lambdas/environment.js',
    '../lambdas/orders/contract.js',
    '../lambdas/orders/environment.js',
    '../lambdas/orders/metrics.js',
    '@orderly/kit/constructs',
    '@orderly/kit/messages',
    '@orderly/kit/saga',
    'aws-cdk-lib',
  ),
};

const IMPORTS = 'lint/style/noRestrictedImports';
const GLOBALS = 'lint/style/noRestrictedGlobals';

/** Forbidden imports, by the rule that refuses them. */
const BREACHES: readonly (readonly [what: string, file: string, text: string, rule: string])[] = [
  ['domain: AWS', 'lambdas/orders/domain/b01.ts', importing('@aws-sdk/client-dynamodb'), IMPORTS],
  ['domain: Node', 'lambdas/orders/domain/b02.ts', importing('node:crypto'), IMPORTS],
  ['domain: a package', 'lambdas/orders/domain/b03.ts', importing('uuid'), IMPORTS],
  ['domain: the platform', 'lambdas/orders/domain/b04.ts', importing('@orderly/kit/aws'), IMPORTS],
  ['domain: a pattern', 'lambdas/orders/domain/b05.ts', importing('@orderly/kit/event-store'), IMPORTS],
  ['domain: its own entry points', 'lambdas/orders/domain/b06.ts', importing('../place-order.lambda.js'), IMPORTS],
  ['domain: another domain', 'lambdas/orders/domain/b07.ts', importing('../../inventory/domain/stock.js'), IMPORTS],
  ['domain: random', 'lambdas/orders/domain/b08.ts', 'export const a = () => Math.random();\n', 'plugin'],
  ['domain: now', 'lambdas/orders/domain/b09.ts', 'export const a = () => Date.now();\n', 'plugin'],
  ['domain: new Date()', 'lambdas/orders/domain/b10.ts', 'export const a = () => new Date();\n', 'plugin'],
  ['domain: crypto', 'lambdas/orders/domain/b11.ts', 'export const a = () => crypto.randomUUID();\n', GLOBALS],
  ['domain: process', 'lambdas/orders/domain/b12.ts', 'export const a = () => process.env;\n', GLOBALS],
  ['service: another one’s store', 'lambdas/orders/b13.ts', importing('../inventory/stock-store.js'), IMPORTS],
  ['service: another one’s domain', 'lambdas/orders/b14.ts', importing('../inventory/domain/stock.js'), IMPORTS],
  ['what services share: a service', 'lambdas/b29.ts', importing('./orders/order-store.js'), IMPORTS],
  ['service: another one’s variables', 'lambdas/orders/b30.ts', importing('../inventory/environment.js'), IMPORTS],
  ['service: inside of the kit', 'lambdas/orders/b31.ts', importing('../../packages/kit/aws/clock.js'), IMPORTS],
  ['service: a construct', 'lambdas/orders/b32.ts', importing('@orderly/kit/constructs'), IMPORTS],
  ['what services share: inside of the kit', 'lambdas/b33.ts', importing('../packages/kit/aws/clock.js'), IMPORTS],
  ['service: a helper for tests', 'lambdas/orders/b34.ts', importing('@orderly/kit/testing'), IMPORTS],
  ['service: an operator’s commands', 'lambdas/orders/b36.ts', importing('@orderly/operator'), IMPORTS],
  ['operations: a service’s store', 'lambdas/operations/b37.ts', importing('../orders/order-store.js'), IMPORTS],
  ['operations: a construct', 'lambdas/operations/b38.ts', importing('@orderly/kit/constructs'), IMPORTS],
  ['kit: a helper for tests', 'packages/kit/outbox/b35.ts', importing('../testing/given.js'), IMPORTS],
  ['kit: a service', 'packages/kit/outbox/b15.ts', importing('../../../lambdas/orders/order-store.js'), IMPORTS],
  ['kit: a contract', 'packages/kit/outbox/b16.ts', importing('../../../lambdas/orders/contract.js'), IMPORTS],
  ['kit: a tool', 'packages/kit/aws/b17.ts', importing('../../../tools/local/api.js'), IMPORTS],
  ['kit: a construct', 'packages/kit/outbox/b23.ts', importing('./outbox.construct.js'), IMPORTS],
  ['kit: the CDK', 'packages/kit/outbox/b24.ts', importing('aws-cdk-lib/aws-sqs'), IMPORTS],
  ['kit: deploy time of the app', 'packages/kit/aws/b27.ts', importing('../../../lib/settings.js'), IMPORTS],
  ['kit: an operator’s command', 'packages/kit/outbox/b31.ts', importing('@orderly/operator'), IMPORTS],
  ['service: an operator’s command', 'lambdas/orders/b32.ts', importing('../../packages/operator/cli/run.js'), IMPORTS],
  ['operator: the app’s', 'packages/operator/b33.ts', importing('../../tools/local/endpoint.js'), IMPORTS],
  ['operator: a construct', 'packages/operator/b34.ts', importing('@orderly/kit/constructs'), IMPORTS],
  [
    'an app’s command: inside of the kit',
    'tools/operator/b39.ts',
    importing('../../packages/kit/aws/clock.js'),
    IMPORTS,
  ],
  ['simulator: a tool', 'packages/simulator/cloud/b35.ts', importing('../../../tools/local/api.js'), IMPORTS],
  ['simulator: the kit', 'packages/simulator/cloud/b36.ts', importing('@orderly/kit/messages'), IMPORTS],
  ['construct: deploy time of the app', 'packages/kit/service/b28.ts', importing('../../../lib/settings.js'), IMPORTS],
  ['construct: a record', 'packages/kit/service/b40.ts', importing('../failures/failure-records.js'), IMPORTS],
  ['construct: a pattern', 'packages/kit/service/b18.ts', importing('../outbox/publish.js'), IMPORTS],
  [
    'construct: a service',
    'packages/kit/outbox/b25.construct.ts',
    importing('../../../lambdas/orders/contract.js'),
    IMPORTS,
  ],
  ['lib: a pattern', 'lib/b26.ts', importing('@orderly/kit/event-store'), IMPORTS],
  ['lib: the platform', 'lib/b19.ts', importing('@orderly/kit/aws'), IMPORTS],
  ['lib: inside of the kit', 'lib/b34.ts', importing('../packages/kit/service/bundles.js'), IMPORTS],
  ['lib: a tool', 'lib/b39.ts', importing('../tools/local/dev-issuer.js'), IMPORTS],
  ['bin: an entry point', 'bin/b20.ts', importing('../lambdas/orders/place-order.lambda.js'), IMPORTS],
  [
    'a cycle of types',
    'packages/kit/aws/b37.ts',
    "import type { B } from './b38.js';\nexport type A = B | 1;\n",
    'lint/suspicious/noImportCycles',
  ],
  [
    'the other half of a cycle of types',
    'packages/kit/aws/b38.ts',
    "import type { A } from './b37.js';\nexport type B = A | 2;\n",
    'lint/suspicious/noImportCycles',
  ],
  [
    'a cycle',
    'packages/kit/aws/b21.ts',
    "import { b } from './b22.js';\nexport const a = () => b;\n",
    'lint/suspicious/noImportCycles',
  ],
  [
    'the other half',
    'packages/kit/aws/b22.ts',
    "import { a } from './b21.js';\nexport const b = () => a;\n",
    'lint/suspicious/noImportCycles',
  ],
];

/** Returns the rules that Biome reports, by file. */
function lint(): ReadonlyMap<string, readonly string[]> {
  for (const file of ['biome.json', 'biome-pure-domain.grit']) copyFileSync(file, join(house, file));
  for (const [file, text] of [...Object.entries(ALLOWED), ...BREACHES.map(([, file, text]) => [file, text] as const)]) {
    mkdirSync(dirname(join(house, file)), { recursive: true });
    writeFileSync(join(house, file), text);
  }
  const biome = resolve('node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const { stdout } = spawnSync(
    process.execPath,
    [biome, 'lint', '--vcs-enabled=false', '--max-diagnostics=200', '--reporter=json', '.'],
    { cwd: house, encoding: 'utf8' },
  );
  const found = new Map<string, string[]>();
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string | { file: string } } }[];
  };
  for (const { category, location } of diagnostics) {
    const path = typeof location.path === 'string' ? location.path : location.path.file;
    found.set(path, [...(found.get(path) ?? []), category]);
  }
  return found;
}

describe('the reading order', () => {
  const found = lint();

  test.each(BREACHES)('refuses %s', (_, file, __, rule) => {
    expect(found.get(file)).toEqual([rule]);
  });

  test.each(Object.keys(ALLOWED))('permits %s', (file) => {
    expect(found.get(file)).toBeUndefined();
  });
});
