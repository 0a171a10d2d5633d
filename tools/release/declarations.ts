import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Declarations that `tsc` emitted without comments: every statement begins at column 0 with one of these words. */
const BEGINS = /^(export|import|declare|interface|type) /;
const DECLARES =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|(?:const )?enum|const|function|interface|let|namespace|type|var) (?<name>[\w$]+)/;
const NAMES = /^(?<verb>export|import) (?<type>type )?\{(?<list>[^}]*)\}(?: from '(?<from>[^']+)')?;$/;
/** A private member is no part of an API: TypeScript emits its name only. */
const PRIVATE = /^ {4}(?:private (?!constructor)[^;{]*|#private);\n/gm;

/** Error for a declaration file with something that this scanner does not know. */
export class UnknownDeclaration extends Error {
  override readonly name = 'UnknownDeclaration';
}

/** Place where something is declared. */
export interface Place {
  /** Path of the file in its package, without `.d.ts`. */
  readonly file: string;
  readonly name: string;
}

/** An exported name of a module. */
export interface Exported {
  readonly name: string;
  /** `undefined` for a name of another package. */
  readonly place: Place | undefined;
  /** Whether the module exports the name as a type only: a class without its constructor, a constant's `typeof`. */
  readonly typeOnly: boolean;
}

/** A name in the braces of an import or an export. */
interface Listed {
  /** Name in the module that it comes from. */
  readonly name: string;
  /** That module. It is `undefined` for a name of the file itself. */
  readonly from: string | undefined;
  readonly typeOnly: boolean;
}

interface File {
  /** Statements by the name that they declare: overloads of a function, or a type with the value of its name. */
  readonly declared: ReadonlyMap<string, readonly string[]>;
  /** Imports by the name that the file uses. */
  readonly imported: ReadonlyMap<string, Listed>;
  /** Names in `export { ... }`, by the name that others see. */
  readonly exported: ReadonlyMap<string, Listed>;
  /** Modules whose types are all exported. */
  readonly all: readonly string[];
}

/** The declaration files of one package, as `tsc` emits them with `removeComments`. */
export class Declarations {
  private readonly files: ReadonlyMap<string, File>;

  /** @throws {UnknownDeclaration} */
  constructor(folder: string) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
    this.files = new Map(
      files.map((file) => [file.replace(/\.d\.ts$/, ''), parse(readFileSync(join(folder, file), 'utf8'), file)]),
    );
  }

  /** Returns the exported names of a module, in alphabetical order. */
  listExports(module: string): readonly Exported[] {
    const { declared, exported } = this.file(module);
    const here = [...declared]
      .filter(([, statements]) => statements.some((statement) => statement.startsWith('export ')))
      .map(([name]) => ({ name, place: { file: module, name }, typeOnly: false }));
    const listed = [...exported].map(([name, one]) => {
      const place = this.resolvePlace(module, one);
      return { name, place, typeOnly: one.typeOnly && place !== undefined && this.isValue(place) };
    });
    const others = this.file(module).all.flatMap((from) => this.listExports(resolveModule(module, from)));
    return [...here, ...listed, ...others.map((one) => ({ ...one, typeOnly: false }))].toSorted(byName);
  }

  /** Returns the text of a declaration, without its private members. */
  readDeclaration({ file, name }: Place): string {
    const statements = this.file(file).declared.get(name) ?? [];
    return statements.map((statement) => statement.replaceAll(PRIVATE, '')).join('\n');
  }

  /** Returns what a declaration names of its own package, each once. */
  namedBy(place: Place): readonly Place[] {
    const text = this.readDeclaration(place);
    const withoutLiterals = text.replaceAll(/'[^'\n]*'|"[^"\n]*"/g, "''");
    const local = [
      ...withoutLiterals.matchAll(/(?<before>typeof )?(?<![\w$.])(?<name>[A-Za-z_$][\w$]*)(?!\??:|[\w$])/g),
    ]
      .filter(({ groups }) => groups?.before !== undefined || /^[A-Z]/.test(groups?.name ?? ''))
      .map(({ groups }) => this.find({ file: place.file, name: groups?.name ?? '' }));
    const inline = [...text.matchAll(/import\("(?<from>[^"]+)"\)\.(?<name>[\w$]+)/g)].map(({ groups }) =>
      this.resolvePlace(place.file, { name: groups?.name ?? '', from: groups?.from, typeOnly: true }),
    );
    const named = [...local, ...inline].filter((found) => found !== undefined);
    return [...new Map(named.map((found) => [keyOf(found), found])).values()].filter(
      (found) => keyOf(found) !== keyOf(place),
    );
  }

  /** Returns where a name that a file uses is declared: there, or in the module from which it is imported. */
  private find({ file, name }: Place): Place | undefined {
    const { declared, imported } = this.file(file);
    if (declared.has(name)) return { file, name };
    const one = imported.get(name);
    return one && this.resolvePlace(file, one);
  }

  /**
   * Follows a name through the modules that export it.
   * @returns `undefined` for a name of another package
   */
  private resolvePlace(file: string, { name, from }: Listed): Place | undefined {
    if (from === undefined) return this.find({ file, name });
    if (!from.startsWith('.')) return undefined;
    const module = resolveModule(file, from);
    const { declared, exported } = this.file(module);
    const one = exported.get(name);
    if (one) return this.resolvePlace(module, one);
    if (declared.has(name)) return { file: module, name };
    throw new UnknownDeclaration(`${module}: no declaration of ${name}`);
  }

  private isValue(place: Place): boolean {
    return /^(?:export )?declare /m.test(this.readDeclaration(place));
  }

  private file(name: string): File {
    const file = this.files.get(name);
    if (!file) throw new UnknownDeclaration(`no declarations of ${name}`);
    return file;
  }
}

/** Returns the module that another one names. */
const resolveModule = (file: string, from: string): string => join(dirname(file), from).replace(/\.js$/, '');

/** Returns a text that identifies a place. */
export const keyOf = ({ file, name }: Place): string => `${file}#${name}`;

/** Compares names as code units, so that the order is the same in each locale. */
export const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);

function parse(text: string, file: string): File {
  const declared = new Map<string, string[]>();
  const imported = new Map<string, Listed>();
  const exported = new Map<string, Listed>();
  const all: string[] = [];
  for (const statement of listStatements(text, file)) {
    if (statement === 'export {};' || /^import (?:type )?(?:\* as [\w$]+|[\w$]+) from '[^.']/.test(statement)) continue;
    const everything = /^export type \* from '(\.[^']+)';$/.exec(statement)?.[1];
    if (everything !== undefined) {
      all.push(everything);
      continue;
    }
    const declares = DECLARES.exec(statement)?.groups?.name;
    if (declares !== undefined) {
      declared.set(declares, [...(declared.get(declares) ?? []), statement]);
      continue;
    }
    const { verb, type, list, from } = NAMES.exec(statement)?.groups ?? {};
    if (verb === undefined || list === undefined) throw new UnknownDeclaration(`${file}: ${statement}`);
    for (const { name, as, typeOnly } of listNames(list)) {
      const names = verb === 'export' ? exported : imported;
      names.set(as, { name, from, typeOnly: typeOnly || type !== undefined });
    }
  }
  return { declared, imported, exported, all };
}

function listStatements(text: string, file: string): readonly string[] {
  const statements: string[] = [];
  for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#!'))) {
    const isContinued = /^[ })\]>]/.test(line);
    if (!isContinued && !BEGINS.test(line)) throw new UnknownDeclaration(`${file}: ${line}`);
    if (isContinued) statements.push(`${statements.pop() ?? ''}\n${line}`);
    else statements.push(line);
  }
  return statements;
}

const listNames = (list: string) =>
  list
    .split(',')
    .map((name) => /^\s*(type )?(?<name>[\w$]+)(?: as (?<as>[\w$]+))?\s*$/.exec(name))
    .flatMap((found) => {
      const { name, as = name } = found?.groups ?? {};
      return name === undefined || as === undefined ? [] : [{ name, as, typeOnly: found?.[1] !== undefined }];
    });
