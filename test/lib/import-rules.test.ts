import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

/** A house of the same plan with the same rules, in which each file is one breach, or one thing that is allowed. */
const house = mkdtempSync(join(tmpdir(), 'orderly-imports-'));
afterAll(() => rmSync(house, { recursive: true, force: true }));

const importing = (...from: string[]) =>
  [
    ...from.map((path, at) => `import { a as a${at} } from '${path}';`),
    `export const all = [${from.map((_, at) => `a${at}`)}];`,
    '',
  ].join('\n');

const ALLOWED: Readonly<Record<string, string>> = {
  'lambdas/services/orders/domain/order.ts':
    importing('../contract.js', './money.js', '../../inventory/contract.js', '../../../patterns/contract.js') +
    "export const at = new Date('2026-01-01');\nexport const most = Math.max(1, 2);\n",
  'lambdas/services/orders/order-store.ts': importing(
    './domain/order.js',
    '../inventory/contract.js',
    '../../platform/clock.js',
    '../../patterns/contract.js',
    'uuid',
  ),
  'lambdas/patterns/outbox/relay.ts': importing('../contract.js', '../../platform/clock.js', '@aws-sdk/client-sqs'),
  'lib/constructs/outbox.ts': importing(
    '../../lambdas/patterns/contract.js',
    '../../lambdas/platform/environment.js',
    '../../lambdas/platform/answer-headers.js',
    '../../lambdas/services/orders/contract.js',
    'aws-cdk-lib',
  ),
};

const IMPORTS = 'lint/style/noRestrictedImports';
const GLOBALS = 'lint/style/noRestrictedGlobals';

/** What is refused, by the rule that refuses it. */
const BREACHES: readonly (readonly [what: string, file: string, text: string, rule: string])[] = [
  ['domain: AWS', 'lambdas/services/orders/domain/b01.ts', importing('@aws-sdk/client-dynamodb'), IMPORTS],
  ['domain: Node', 'lambdas/services/orders/domain/b02.ts', importing('node:crypto'), IMPORTS],
  ['domain: a package', 'lambdas/services/orders/domain/b03.ts', importing('uuid'), IMPORTS],
  ['domain: the platform', 'lambdas/services/orders/domain/b04.ts', importing('../../../platform/clock.js'), IMPORTS],
  ['domain: a pattern', 'lambdas/services/orders/domain/b05.ts', importing('../../../patterns/trace.js'), IMPORTS],
  [
    'domain: its own entry points',
    'lambdas/services/orders/domain/b06.ts',
    importing('../place-order.lambda.js'),
    IMPORTS,
  ],
  [
    'domain: another domain',
    'lambdas/services/orders/domain/b07.ts',
    importing('../../inventory/domain/stock.js'),
    IMPORTS,
  ],
  ['domain: random', 'lambdas/services/orders/domain/b08.ts', 'export const a = () => Math.random();\n', 'plugin'],
  ['domain: now', 'lambdas/services/orders/domain/b09.ts', 'export const a = () => Date.now();\n', 'plugin'],
  ['domain: new Date()', 'lambdas/services/orders/domain/b10.ts', 'export const a = () => new Date();\n', 'plugin'],
  ['domain: crypto', 'lambdas/services/orders/domain/b11.ts', 'export const a = () => crypto.randomUUID();\n', GLOBALS],
  ['domain: process', 'lambdas/services/orders/domain/b12.ts', 'export const a = () => process.env;\n', GLOBALS],
  ['service: another one’s store', 'lambdas/services/orders/b13.ts', importing('../inventory/stock-store.js'), IMPORTS],
  [
    'service: another one’s domain',
    'lambdas/services/orders/b14.ts',
    importing('../inventory/domain/stock.js'),
    IMPORTS,
  ],
  ['pattern: a service', 'lambdas/patterns/outbox/b15.ts', importing('../../services/orders/order-store.js'), IMPORTS],
  ['pattern: a contract', 'lambdas/patterns/outbox/b16.ts', importing('../../services/orders/contract.js'), IMPORTS],
  ['platform: a service', 'lambdas/platform/b17.ts', importing('../services/orders/contract.js'), IMPORTS],
  ['lib: a pattern', 'lib/constructs/b18.ts', importing('../../lambdas/patterns/outbox/publish.js'), IMPORTS],
  ['lib: the platform', 'lib/services/b19.ts', importing('../../lambdas/platform/clock.js'), IMPORTS],
  ['bin: an entry point', 'bin/b20.ts', importing('../lambdas/services/orders/place-order.lambda.js'), IMPORTS],
  [
    'a cycle',
    'lambdas/platform/b21.ts',
    "import { b } from './b22.js';\nexport const a = () => b;\n",
    'lint/suspicious/noImportCycles',
  ],
  [
    'the other half',
    'lambdas/platform/b22.ts',
    "import { a } from './b21.js';\nexport const b = () => a;\n",
    'lint/suspicious/noImportCycles',
  ],
];

/** Rules that Biome reports, by file. */
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

  test.each(Object.keys(ALLOWED))('lets %s be', (file) => {
    expect(found.get(file)).toBeUndefined();
  });
});
