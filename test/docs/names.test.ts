import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as simulator from '../../packages/simulator/index.js';
import { FOREIGN } from './foreign-names.js';
import {
  commentsIn,
  filesBelow,
  identifiersIn,
  isKnown,
  namesIn,
  readNames,
  unknownFilesOf,
  unknownNamesOf,
  withoutComments,
} from './names.js';

const textOf = (path: string): string => readFileSync(path, 'utf8');
const PACKAGES = ['kit', 'client', 'operator', 'simulator', 'console'].map((name) => `packages/${name}`);
const sourcesBelow = (folder: string): readonly string[] =>
  ['.ts', '.mjs'].flatMap((ending) => filesBelow(folder, ending));
const declarations = filesBelow('test/golden/public-api', '.txt').map(textOf);
/** Words that pages of the kit take from elsewhere: what services of Orderly tell others, folders of the kit, alarms. */
const words = [
  ...filesBelow('lambdas', 'contract.ts').map((file) => withoutComments(textOf(file))),
  ...readdirSync('packages/kit'),
  ...readdirSync('docs/operations/alarms'),
];
const ofPackages = readNames([...declarations, ...words], PACKAGES.flatMap(sourcesBelow).map(textOf));
const files = [...PACKAGES, 'bin', 'lib', 'lambdas', 'tools', 'examples', 'test'].flatMap(sourcesBelow);
const ofApp = readNames(
  [
    ...declarations,
    ...words,
    ...files.filter((file) => !file.startsWith('test/docs/')).map((file) => withoutComments(textOf(file))),
  ],
  [],
);
const foreign = new Set(FOREIGN);

const kitPages = ['packages/kit', 'packages/client', 'packages/operator'].flatMap((folder) =>
  filesBelow(folder, '.md'),
);
const appPages = ['docs/tutorial.md', ...filesBelow('docs/how-to', '.md')];

describe('pages about the kit', () => {
  test.each(kitPages)('%s names what the packages declare', (page) =>
    expect(unknownNamesOf(page, ofPackages, foreign)).toEqual([]),
  );
  test.each(appPages)('%s names what Orderly declares', (page) =>
    expect(unknownNamesOf(page, ofApp, foreign)).toEqual([]),
  );
  test.each([...kitPages, ...appPages])('%s names files that exist', (page) =>
    expect(unknownFilesOf(page, files)).toEqual([]),
  );
});

const documented = ['packages/kit', 'packages/client', 'packages/operator'].flatMap(sourcesBelow);

test('comments name what is declared, where they call it or write it in camel case', () => {
  const unknown = documented.flatMap((file) => {
    const source = textOf(file);
    const here = new Set(identifiersIn(withoutComments(source)));
    return commentsIn(source)
      .flatMap((text) => [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => namesIn(code)))
      .filter(({ kind, name }) => kind === 'call' || /^[a-z]+[A-Z]/.test(name))
      .filter((named) => !here.has(named.name) && !foreign.has(named.name) && !isKnown(named, ofPackages))
      .map(({ code }) => `${file}: ${code}`);
  });
  expect(unknown).toEqual([]);
});

test.each([
  ['undo', ['word undo']],
  ['service.inbox', ['word service', 'member inbox']],
  ["this.saga('Saga', ...)", ['word this', 'method saga']],
  ['published()', ['call published']],
  ['{ ...keyedBy(request), header: request.id }', ['call keyedBy']],
  ['npm run docs', []],
  ['<name>Contract', []],
])('names in %j', (code, names) => expect(namesIn(code).map(({ kind, name }) => `${kind} ${name}`)).toEqual(names));

test('a name is known by what it is used as', () => {
  const known = readNames(
    ['export declare class Service {\n    readonly table: Table;\n    addInbox(id: string): void;\n}\n'],
    ['/** Makes an `inbox`. */\nexport const inbox = (sources: readonly string[]) => sources;\nconst hidden = 1;\n'],
  );
  const isAccepted = (code: string): boolean => namesIn(code).every((named) => isKnown(named, known));
  expect(['Service', 'table', 'inbox', 'inbox(table)', 'id.addInbox()', 'addInbox()'].filter(isAccepted)).toHaveLength(
    6,
  );
  expect(['Service.inbox', 'Service.inbox()', 'table()', 'hidden', 'makes'].filter(isAccepted)).toEqual([]);
});

describe('pages of the simulator', () => {
  const FOLDER = 'packages/simulator';
  const pages = ['README.md', ...readdirSync(join(FOLDER, 'docs')).map((name) => `docs/${name}`)];

  /** Functions that a page calls in its text: `playSeed(deployment, ...)`. Members of an object have a dot before them. */
  const namesCalledIn = (page: string): readonly string[] =>
    [...textOf(join(FOLDER, page)).matchAll(/`([a-z]\w+)\([^`]*\)`/g)].map(([, name = '']) => name);

  test.each(pages)('%s calls functions that the package exports', (page) => {
    const unknown = namesCalledIn(page).filter((name) => !(name in simulator));
    expect(unknown).toEqual([]);
  });

  test('pages of the simulator do call functions', () =>
    expect(pages.flatMap(namesCalledIn)).toEqual(expect.arrayContaining(['checkScenario', 'playSingleFaults'])));
});
