import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Declarations, UnknownDeclaration } from '../../../tools/release/declarations.js';
import { APPROVED_API, publicApi, renderPublicApi } from '../../../tools/release/public-api.js';

describe('the public API', () => {
  const present = publicApi();

  test.each([...present])('the public API of %s is the approved one', (name, text) => {
    const approved = readFileSync(new URL(`${name}.txt`, APPROVED_API), 'utf8');
    const decision = `The public API of ${name} differs from test/golden/public-api/${name}.txt. Users depend on it: if the change is wanted, run npm run docs and commit the text.`;
    expect(text, decision).toBe(approved);
  });
});

describe('the text of a package', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'declarations-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const text = (files: Readonly<Record<string, string>>): string => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, `${name}.d.ts`), content);
    return renderPublicApi({ name: 'things', exports: { '.': './index.ts' } }, new Declarations(folder));
  };

  test('the text has each export with its declaration, sorted by name, and no private member', () => {
    const thing = [
      "import * as z from 'zod/mini';",
      'export declare class Thing {',
      '    private readonly hidden;',
      '    #private;',
      '    private constructor();',
      '    private of;',
      '    size(): number;',
      '}',
      'export declare function make(size: number): Thing;',
      'export declare function make(size: string): Thing;',
      'export declare const Schema: z.ZodMiniString<string>;',
      'export declare const internal = 1;',
      'export {};',
      '',
    ].join('\n');
    const index = "export { make, Schema as Size, type Thing, } from './thing.js';\n";
    expect(text({ thing, index })).toBe(
      [
        '# things',
        '// exported as Size\nexport declare const Schema: z.ZodMiniString<string>;',
        '// exported as a type only\nexport declare class Thing {\n    private constructor();\n    size(): number;\n}',
        'export declare function make(size: number): Thing;\nexport declare function make(size: string): Thing;\n',
      ].join('\n\n'),
    );
  });

  test('the text has all types of another module', () => {
    const thing = 'export interface Thing {\n    size: number;\n}\nexport {};\n';
    const index = "export type * from './thing.js';\nexport declare const made: number;\n";
    expect(text({ thing, index })).toBe(
      '# things\n\nexport interface Thing {\n    size: number;\n}\n\nexport declare const made: number;\n',
    );
  });

  test('lists at the end what is named and not exported, also by what is not exported itself', () => {
    const base =
      'export declare const KINDS: readonly ["Kind"];\ntype Kind = (typeof KINDS)[number];\nexport interface Base {\n    Kind: number;\n    kind: Kind;\n}\nexport {};\n';
    const index =
      'import { type Base as Of } from \'./base.js\';\nexport interface Thing extends Of {\n    readonly other: import("./other.js").Other;\n}\n';
    const other = 'export interface Other {\n}\nexport interface Unused {\n}\n';
    const listed = [...text({ base, index, other }).matchAll(/\/\/ \(not exported\) named by (.*)\n(.*)/g)];
    expect(listed.map(([, by, declaration]) => `${declaration} by ${by}`)).toEqual([
      'export interface Base { by Thing',
      'export declare const KINDS: readonly ["Kind"]; by Kind',
      'type Kind = (typeof KINDS)[number]; by Base',
      'export interface Other { by Thing',
    ]);
  });

  test.each([
    "export { Lost } from './thing.js';\n",
    "export * from './thing.js';\n",
    'declare global {\n}\n',
    '/** A comment. */\nexport {};\n',
  ])('a declaration that the scanner does not know is an error: %j', (index) =>
    expect(() => text({ index, thing: 'export {};\n' })).toThrow(UnknownDeclaration),
  );
});
