import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readListedFiles } from '../../tools/docs/pictures.js';
import { pack } from '../../tools/release/pack.js';

const EXAMPLE = 'examples/tickets';
const tutorial = readFileSync('docs/tutorial.md', 'utf8');

/** Outside of this repository, so that nothing is found that the tarballs don't bring. */
const folder = mkdtempSync(join(tmpdir(), 'tickets-'));
const app = join(folder, 'tickets');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** npm runs no install scripts, and asks the registry for nothing that is in its cache. */
const ENV = {
  ...process.env,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_ignore_scripts: 'true',
};

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = ENV) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: app, encoding: 'utf8', env });
  return { status, said: `${stdout}${stderr}` };
}

/** Runs a command of the tutorial, as it stands there. */
function follow(command: string): ReturnType<typeof run> {
  expect(tutorial).toContain(`\n    ${command}\n`);
  return run('sh', ['-c', command]);
}

const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|network/;

/** Says why the packages can't be installed here, if a registry is missing and nobody insists. */
let noRegistry: string | undefined;

beforeAll(() => {
  // As the tutorial's `npm run pack -- ../tickets-packages` and `mkdir -p ../tickets/lambdas` do.
  pack(join(folder, 'tickets-packages'));
  mkdirSync(join(app, 'lambdas'), { recursive: true });
  for (const [file, text] of readListedFiles(tutorial)) writeFileSync(join(app, file), text);
  const { status, said } = follow(
    'npm install ../tickets-packages/orderly-kit-*.tgz ../tickets-packages/orderly-simulator-*.tgz',
  );
  if (status === 0) return;
  if (process.env.CI || !OFFLINE.test(said)) throw new Error(`npm install: ${said}`);
  noRegistry = 'no npm registry in reach: npm install in the example';
});

/** A test that needs what is installed. */
const check = (name: string, body: () => void) =>
  test(name, ({ skip }) => {
    skip(noRegistry !== undefined, noRegistry);
    body();
  });

const SCHEMA = /export const ticketsContract = [\s\S]*?\} as const;|^.*\bz\..*$/gm;
const COMMENT = /\/\*\*[\s\S]*?\*\/|^ *\/\/.*$/gm;

/** Lines of code without schema, comments and blanks. */
const linesOf = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => text.replace(COMMENT, '').replace(SCHEMA, '').split('\n'))
    .filter((line) => line.trim() !== '');

test('the tickets app has at most 70 lines without its schema and comments, and says orderly in imports only', () => {
  const files = readdirSync(EXAMPLE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const texts = files.map((file) => readFileSync(join(EXAMPLE, file), 'utf8'));
  expect(linesOf(texts).length).toBeLessThanOrEqual(70);
  expect(linesOf(texts).filter((line) => /orderly/i.test(line) && !/ from '@orderly\//.test(line))).toEqual([]);
  // It counts what it should: code behind a comment, and nothing of a schema.
  expect(linesOf(['// a\nconst b = 1;\n\n/** c\n */\nconst d = 2;', 'const e = z.string();\nconst f = 3;\n'])).toEqual([
    'const b = 1;',
    'const d = 2;',
    'const f = 3;',
  ]);
});

test('the tutorial shows each file of the tickets app', () => {
  const files = readdirSync(EXAMPLE, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map(({ parentPath, name }) => relative(EXAMPLE, join(parentPath, name)));
  expect([...readListedFiles(tutorial).keys()].sort()).toEqual(paths.sort());
});

describe('the tickets app, copied from the tutorial, with the packages installed from their tarballs', () => {
  check('has types', () => expect(follow('npx tsc')).toMatchObject({ status: 0 }));

  check('is synthesized, passes cdk-nag, and keeps its promises under every single fault', () => {
    const { status, said } = follow('npm test');
    expect(said).toMatch(/two-tickets: \d{3,} histories, every promise is kept/);
    expect(status).toBe(0);
  });

  check('is synthesized with the issuer that it names', () => {
    // `npm test` has validated the same template with another issuer.
    expect(run('npx', ['cdk', 'synth', '--quiet'], { ...ENV, CDK_VALIDATION: 'false' })).toMatchObject({ status: 0 });
    const template = readFileSync(join(app, 'cdk.out', 'Tickets.template.json'), 'utf8');
    expect(template).toContain('https://login.example.com');
    expect(template).not.toContain('simulated.invalid');
  });
});

describe('a package', () => {
  // The app needs two of them. The others are looked at beside it.
  beforeAll(() => {
    if (noRegistry !== undefined) return;
    const { status, said } = run('sh', ['-c', 'npm install --no-save ../tickets-packages/*.tgz']);
    if (status !== 0) throw new Error(`npm install: ${said}`);
  }, 120_000);

  check('lets nobody import what it does not export', () => {
    const { said } = run('node', ['-e', "import('@orderly/kit/outbox/publish.js')"]);
    expect(said).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  for (const name of ['client', 'console', 'kit', 'simulator']) {
    check(`${name} holds JavaScript, types, a README with its pages and the licence, and runs nothing`, () => {
      const installed = join(app, 'node_modules', '@orderly', name);
      const all = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
      const files = all.filter((file) => !relative(installed, file.parentPath).startsWith('node_modules'));
      const others = files
        .filter(({ name }) => !/\.(js|d\.ts)$/.test(name))
        .map((file) => join(file.parentPath, file.name));
      const noPages = others.filter((file) => !/^(docs|built)\//.test(relative(installed, file)));
      expect(noPages.map((file) => basename(file)).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
      expect(files.filter((file) => /\.test\./.test(file.name))).toEqual([]);
      expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty('scripts');
    });
  }

  // It is installed by itself, from one tarball: npm finds no package of this name in a registry.
  check('simulator contains the console', () => {
    const inside = join(app, 'node_modules/@orderly/simulator/node_modules/@orderly/console/package.json');
    expect(JSON.parse(readFileSync(inside, 'utf8'))).toMatchObject({ name: '@orderly/console' });
  });
});
