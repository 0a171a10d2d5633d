import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentsIn, identifiersIn, withoutComments } from './names.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** An `@example` of a docstring. */
export interface Example {
  /** File and line of the docstring. */
  readonly place: string;
  readonly file: string;
  readonly code: string;
}

/** Returns the code of all examples in the docstrings of a file. */
export function listExamples(file: string): readonly Example[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return commentsIn(source).flatMap((comment) =>
    comment
      .replace(/^\s*\/\*\*|\s*\*\/$/g, '')
      .replace(/^ *\* ?/gm, '')
      .split(/@example(?=\s)/)
      .slice(1)
      .map((example) => {
        const line = source.slice(0, source.indexOf(comment.trim())).split('\n').length;
        return { place: `${file}:${line}`, file, code: (example.split(/^@\w/m)[0] ?? '').trim() };
      }),
  );
}

/** Finds the import statement of a name: `undefined` for a name that the example takes from its own app. */
export type FindImport = (name: string, from: string) => string | undefined;

/** Returns an example as a module: what it leaves out (`...`) is anything, and what it uses of the packages is imported. */
export function toModule({ file, code }: Example, findImport: FindImport): string {
  const whole = code
    .replace(/(: |\()\.\.\.(?![\w([{])/g, '$1({} as any)')
    .replace(/^((?:for await|if) .*\)) \.\.\.$/gm, '$1 {}')
    .replace(/\.\.\.(?![\w([{])/g, '...({} as any)')
    .replace(/\((?:this|scope),/g, '(stack,');
  // A value or a property by itself is no statement.
  const statement = /^[[{'"]/.test(whole)
    ? `void (${whole});`
    : /^\w+: /.test(whole)
      ? `void {${whole}};`
      : /^\.? ?\{/.test(whole)
        ? `void (${whole});`
        : whole;
  const declared = new Set(
    [...whole.matchAll(/^(?:export )?(?:const|function|type) (?:\{ )?(?<names>[\w, ]+)/gm)].flatMap(({ groups }) =>
      identifiersIn(groups?.names ?? ''),
    ),
  );
  const used = new Set(
    identifiersIn(
      withoutComments(whole)
        .replace(/(?<!\.)\.[A-Za-z]\w*/g, '')
        .replace(/'[^'\n]*'/g, ''),
    ),
  );
  const imports = [...used].flatMap((name) => (declared.has(name) ? [] : (findImport(name, file) ?? [])));
  return [...imports, statement, 'export {};', ''].join('\n');
}

/** An error of the compiler in an example, with its place in the sources. */
export interface ExampleError {
  readonly place: string;
  readonly code: string;
  readonly message: string;
}

/** Errors of parameters without a type, since what gives them one is the app's. */
const UNTYPED = ['TS7006', 'TS7031'];
/** Errors of names that nothing declares: `trips`, `{ trips }`. */
const UNDECLARED = ['TS2304', 'TS2552', 'TS18004'];

/** Whether an error is only that the example uses a value of its own app: `tickets`, and not the function `openTicket(...)`. */
function isOfApp({ code, message }: Omit<ExampleError, 'place'>, example: Example): boolean {
  const name = /'(?<name>[\w$]+)'/.exec(message)?.groups?.name;
  if (UNTYPED.includes(code)) return true;
  return UNDECLARED.includes(code) && !new RegExp(`(?<![.\\w])${name}\\(`).test(example.code);
}

/**
 * Compiles examples, each as a module of its own, and returns the compiler's errors.
 * @param setting declarations of values that many examples take from their app
 */
export function compileExamples(
  examples: readonly Example[],
  findImport: FindImport,
  setting: string,
): readonly ExampleError[] {
  const build = join(ROOT, '.build');
  mkdirSync(build, { recursive: true });
  const folder = mkdtempSync(join(build, 'examples-'));
  try {
    writeFileSync(join(folder, 'setting.d.ts'), setting);
    examples.forEach((example, at) => {
      writeFileSync(join(folder, `${at}.ts`), toModule(example, findImport));
    });
    const compilerOptions = {
      noUnusedLocals: false,
      noUnusedParameters: false,
      verbatimModuleSyntax: false,
      paths: { '#root/*': [join(ROOT, '*')] },
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    };
    const project = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', folder], { encoding: 'utf8' });
    const errors = stdout.matchAll(/(?:^|\/)(\w+)\.(?:d\.)?ts\(\d+,\d+\): error (TS\d+): (.*(?:\n .*)*)/gm);
    const sorted = [...errors].toSorted(([, one], [, other]) => Number(one) - Number(other));
    return sorted.flatMap(([, at, code = '', message = '']) => {
      const example = examples[Number(at)];
      if (example && isOfApp({ code, message }, example)) return [];
      return { place: example?.place ?? 'setting', code, message };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
