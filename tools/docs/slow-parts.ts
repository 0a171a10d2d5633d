import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SOURCES } from '../local/kept-assemblies.js';
import { APPROVED_API, publicApi } from '../release/public-api.js';
import { asJson } from './layout.js';
import { KEPT_ANSWERS } from './openapi/story.js';
import { ROOT } from './pictures.js';

/** Files by their URLs. */
export type Made = readonly (readonly [file: URL, text: string])[];

/** Part of `npm run docs` that takes seconds or minutes. It runs only if a file that it depends on has changed. */
export interface SlowPart {
  readonly name: string;
  /** Files and folders that it depends on, from the root of the repository; among them what it writes. */
  readonly inputs: readonly string[];
  readonly make: () => Promise<Made>;
  /** Advice that is printed if a file has changed. @default nothing */
  readonly advice?: string;
}

const DECLARED = ['package-lock.json', 'tsconfig.json', 'lambdas', 'packages/kit', 'packages/operator'];

/** Answers to the requests of the API's document, from a simulation of `prod`. The document shows them, so they come first. */
export const played: SlowPart = {
  name: 'answers of the API',
  inputs: [
    // The document follows from the answers, not the other way round.
    ...SOURCES.filter((source) => source !== 'docs/openapi.json'),
    'packages/simulator',
    'test/acceptance/world.ts',
    'test/support',
    'tools/docs/openapi/answers.json',
    'tools/docs/openapi/api.ts',
    'tools/docs/openapi/examples.ts',
    'tools/docs/openapi/story.ts',
  ],
  make: async () => {
    const { answersOfStory } = await import('../../test/support/story-answers.js');
    return [[KEPT_ANSWERS, asJson(await answersOfStory())]];
  },
};

const OLD_ITEMS = 'Deployed tables keep items of the old shape: a decision (docs/decisions) says how they are read.';

/** Approved texts of what users and stored data depend on. */
export const approved: readonly SlowPart[] = [
  {
    name: 'public API of the packages',
    inputs: [
      'package-lock.json',
      'packages',
      'test/golden/public-api',
      'tools/release/declarations.ts',
      'tools/release/pack.ts',
      'tools/release/public-api.ts',
      'tsconfig.json',
    ],
    make: async () => [...publicApi()].map(([name, text]) => [new URL(`${name}.txt`, APPROVED_API), text] as const),
    advice: 'Users depend on it: is the change wanted, and in CHANGELOG.md?',
  },
  {
    name: 'stored formats',
    inputs: [...DECLARED, 'packages/simulator', 'test/golden/stored-formats.json', 'test/support'],
    make: async () => {
      const { APPROVED_FORMATS, storedFormats } = await import('../../test/support/stored-formats.js');
      return [[APPROVED_FORMATS, await storedFormats()]];
    },
    advice: OLD_ITEMS,
  },
  {
    name: 'shapes of folded states',
    inputs: [...DECLARED, 'test/golden/histories', 'test/golden/states.json', 'test/support', 'tools/docs'],
    make: async () => {
      const { APPROVED_STATES, approvedStates } = await import('../../test/support/folded-states.js');
      return [[APPROVED_STATES, await approvedStates()]];
    },
  },
  {
    name: 'shapes of stored states',
    inputs: [...DECLARED, 'packages/simulator', 'test/golden/stored-states.json', 'test/support', 'tools/docs'],
    make: async () => {
      const { APPROVED_STORED, approvedStored } = await import('../../test/support/stored-states.js');
      return [[APPROVED_STORED, await approvedStored()]];
    },
    advice: OLD_ITEMS,
  },
];

/** File with the hash of each part's inputs, as they were after it ran. */
const STAMPS = new URL('.build/docs-inputs.json', ROOT);

/**
 * Makes the files of a part if one of its inputs has changed since it ran last.
 * @param write writes a file, if its text is another one; returns whether it is
 * @param stamps file with the hashes. @default .build/docs-inputs.json
 * @param root of the inputs. @default the repository
 */
export async function runIfChanged(
  { name, inputs, make, advice }: SlowPart,
  write: (file: URL, text: string) => boolean,
  { stamps = STAMPS, root = ROOT }: { readonly stamps?: URL; readonly root?: URL } = {},
): Promise<void> {
  const known = existsSync(stamps) ? (JSON.parse(readFileSync(stamps, 'utf8')) as Record<string, string>) : {};
  if (known[name] === hashInputs(inputs, root)) return;
  console.log(`${name}: an input has changed ...`);
  const written = (await make()).filter(([file, text]) => write(file, text));
  if (advice !== undefined && written.length > 0) console.log(`  ${advice}`);
  mkdirSync(dirname(fileURLToPath(stamps)), { recursive: true });
  writeFileSync(stamps, JSON.stringify({ ...known, [name]: hashInputs(inputs, root) }));
}

/** Hashes what the files hold. Pages and tests are no inputs of anything. */
function hashInputs(inputs: readonly string[], root: URL): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const file = new URL(path, root);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) for (const entry of readdirSync(file).toSorted()) add(`${path}/${entry}`);
    else if (found && !/\.(?:md|test\.ts)$/.test(path))
      hash.update(path).update('\0').update(readFileSync(file)).update('\0');
  };
  for (const input of inputs) add(input);
  return hash.digest('hex');
}
