import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeIn, withoutBlocks } from './markdown.js';

/** Names that sources declare. */
export interface Names {
  /** Exports, members, parameters and literals. */
  readonly all: ReadonlySet<string>;
  /** Members of exported types and classes. */
  readonly members: ReadonlySet<string>;
  /** Exported functions and classes. */
  readonly functions: ReadonlySet<string>;
  /** Members that are called. */
  readonly methods: ReadonlySet<string>;
}

/** A name that a text has in backticks. `kind` is how the text uses it. */
export interface Named {
  readonly name: string;
  readonly kind: 'call' | 'method' | 'member' | 'word';
  /** The text between the backticks. */
  readonly code: string;
}

const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?<kind>class|const|enum|function|interface|type)\*? (?<name>[\w$]+)/gm;
const MEMBER =
  /^ +(?:(?:abstract|async|get|override|private|protected|public|readonly|set|static) )*(?<name>[\w$]+)\??(?<call>[(<]|: (?:<|\((?!typeof|readonly)|new ))?(?=[^\n]*[;:{(<,])/gm;
const CALLABLE_CONST = /^export (?:declare )?const (?<name>[\w$]+)(?:: | = (?:async )?)(?:<|\()/gm;

/** Returns all files below a folder whose names end so, without what is installed or built. */
export const filesBelow = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending) && !/(^|\/)(?:node_modules|cdk\.out|built)\//.test(file))
    .map((file) => join(folder, file));

const namesOf = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].flatMap(({ groups }) => groups?.name ?? []);

export const identifiersIn = (text: string): readonly string[] => [...text.matchAll(IDENTIFIER)].map(([name]) => name);

/** Returns the comments of TypeScript. */
export const commentsIn = (source: string): readonly string[] =>
  [...source.matchAll(/^\s*\/\*\*?.*?\*\/|(?:^|\s)\/\/ [^\n]*/gms)].map(([text]) => text);

/** Returns TypeScript without its comments. */
export const withoutComments = (source: string): string =>
  source.replace(/^\s*\/\*\*?.*?\*\//gms, '').replace(/(^|\s)\/\/ .*$/gm, '');

/** Returns what texts declare. Of a declaration its members and all its words count; of a source its exports only. */
export function readNames(declarations: readonly string[], sources: readonly string[]): Names {
  const texts = [...declarations, ...sources.map(withoutComments)];
  const exported = texts.flatMap((text) => [...text.matchAll(EXPORT)].map(({ groups }) => ({ ...groups })));
  const members = declarations.flatMap((text) => [...text.matchAll(MEMBER)].map(({ groups }) => ({ ...groups })));
  const name = ({ name = '' }: Record<string, string>): string => name;
  return {
    all: new Set([...declarations.flatMap(identifiersIn), ...exported.map(name), ...members.map(name)]),
    members: new Set(members.map(name)),
    functions: new Set([
      ...exported.filter(({ kind = '' }) => ['class', 'function'].includes(kind)).map(name),
      ...texts.flatMap((text) => namesOf(text, CALLABLE_CONST)),
    ]),
    methods: new Set(members.filter(({ call }) => call !== undefined).map(name)),
  };
}

/** Returns the names in a text between backticks: in one identifier with its members, or before a parenthesis. */
export function namesIn(code: string): readonly Named[] {
  const withoutText = code.replace(/'[^']*'/g, "''");
  const isExpression = /^\.?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\(.*\))?$/.test(code);
  const names = isExpression
    ? withoutText.matchAll(/(?<dot>(?<!\.)\.)?(?<![\w$>])(?<name>[A-Za-z_$][\w$]*)(?<call>\()?(?!\w*:)/g)
    : withoutText.matchAll(/(?<dot>(?<!\.)\.)?(?<![\w$>])(?<name>[A-Za-z_$][\w$]*)(?<call>\()/g);
  return [...names].flatMap(({ groups: { dot, name, call } = {} }) => {
    if (name === undefined) return [];
    if (call === undefined) return { name, code, kind: dot === undefined ? 'word' : 'member' } as const;
    return { name, code, kind: dot === undefined ? 'call' : 'method' } as const;
  });
}

/** Whether a name is declared. A method may be called without its object: "`transact()` takes 100 writes". */
export function isKnown({ name, kind }: Named, known: Names): boolean {
  switch (kind) {
    case 'call':
      return known.functions.has(name) || known.methods.has(name);
    case 'method':
      return known.methods.has(name);
    case 'member':
      return known.members.has(name);
    case 'word':
      return known.all.has(name);
  }
}

/** Whether a text between backticks is the name of a file. */
export const isFile = (code: string): boolean => /^[\w./-]+\.(?:json|lock|md|mjs|ts)$/.test(code) || code === '.npmrc';

/**
 * Returns the names of a page that are declared nowhere. Names that its own examples declare belong to the examples.
 * @param foreign names of other projects and of data
 */
export function unknownNamesOf(page: string, known: Names, foreign: ReadonlySet<string>): readonly string[] {
  const text = readFileSync(page, 'utf8');
  const shown = new Set([...text.matchAll(/^ *```.*?^ *```/gms)].flatMap(([block]) => identifiersIn(block)));
  // An example declares functions and values, and no methods.
  const isShown = ({ kind, name }: Named): boolean => kind !== 'method' && shown.has(name);
  const unknown = codeIn(text)
    .filter((code) => !isFile(code))
    .flatMap(namesIn)
    .filter((named) => !isShown(named) && !foreign.has(named.name) && !isKnown(named, known));
  return [...new Set(unknown.map(({ name, code }) => (name === code ? name : `${name} in ${code}`)))];
}

/**
 * Returns the TypeScript files that a page names and that exist nowhere. The end of a file's path is enough; in the
 * first column of a table it must be below the page's folder, or be named by its path from there.
 */
export function unknownFilesOf(page: string, files: readonly string[]): readonly string[] {
  const text = readFileSync(page, 'utf8');
  const rows = [...withoutBlocks(text).matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) => codeIn(cell));
  const inTable = new Set(rows.filter(isFile));
  const isThere = (file: string): boolean =>
    files.includes(join(dirname(page), file)) ||
    files.includes(file) ||
    text.includes(`'${file.replace(/^lambdas\/|\.lambda\.ts$/g, '')}'`) ||
    files.some((one) => one.endsWith(`/${file}`) && (!inTable.has(file) || one.startsWith(`${dirname(page)}/`)));
  const named = codeIn(text).filter((code) => /^\w[\w./-]*\.(?:mjs|ts)$/.test(code));
  return [...new Set(named)].filter((file) => !isThere(file));
}
