// Counts what the size of this house is judged by, of the files that git knows.
//   npm run house [-- <commit>]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = ['bin', 'lib', 'lambdas', 'packages', 'tools'].map((folder) => `${folder}/*.ts`);
const TESTS = '*.test.ts';
/** Texts that a command writes: committed, as they were decided (0256), and those of earlier commits. */
const GENERATED = [
  'docs/asyncapi.json',
  'docs/events.md',
  'docs/problems.md',
  'docs/openapi.json',
  'docs/proof.json',
  'docs/proof.md',
  'docs/orderly.http',
  'docs/orderly.postman.json',
  'docs/reference.html',
  'packages/client/operations.ts',
  'packages/client/schemas.ts',
  'test/golden/contracts',
  'test/golden/openapi.json',
  'test/golden/public-api',
  'test/golden/states.json',
  'test/golden/stored-formats.json',
  'test/golden/stored-states.json',
  'tools/docs/openapi/answers.json',
];

/** Each figure by its name. @param commit whose files are counted; the files of the working tree if it is undefined */
export function figures(commit) {
  const lines = (...paths) => linesOf(commit, paths).length;
  return {
    'lines of packages/kit (TypeScript without tests)': lines('packages/kit/*.ts', `:!${TESTS}`),
    'lines of TypeScript without tests (bin, lib, lambdas, packages, tools)': lines(...SOURCES, `:!${TESTS}`),
    "lines of tests (test/, and the packages' own)": lines('test/*.ts', `packages/${TESTS}`),
    'lines of generated text': lines(...GENERATED),
    'words of decision records': linesOf(commit, ['docs/decisions/*.md']).flatMap((line) => line.match(/\S+/g) ?? [])
      .length,
    'lines of README.md': lines('README.md'),
  };
}

/** Returns the lines of the files that match. */
function linesOf(commit, paths) {
  const args = ['grep', '-hI', '-e', '', ...(commit === undefined ? [] : [commit]), '--', ...paths];
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  // 1: no file matches.
  if (status === 1) return [];
  if (status !== 0) throw new Error(`git grep: ${stderr}`);
  return stdout.replace(/\n$/, '').split('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = Object.entries(figures(process.argv[2]));
  const width = Math.max(...all.map(([name]) => name.length));
  for (const [name, figure] of all) console.log(`${name.padEnd(width)}  ${figure.toLocaleString('en').padStart(7)}`);
}
