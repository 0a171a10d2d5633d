import { existsSync, readFileSync, statSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join, posix, relative, resolve } from 'node:path';
import type { Assembly, Resource } from '../assembly/assembly.js';
import { isCustomResource, isRun } from '../assembly/custom-resources.js';
import type { JsonObject } from '../assembly/intrinsics.js';
import type { BundleFiles } from './bundle.js';
import { type Esbuild, findEsbuild } from './esbuild.js';
import { EXPORTS_LATER, exportOf } from './handler.js';
import { findLayers, inLayers, packagesOfLayers } from './layers.js';

/** The file of a function's handler, as its asset has it. */
export interface HandlerFile {
  readonly source: string;
  /** Lambda's runtime: `nodejs22.x`. */
  readonly runtime?: string;
  /** Path of the file; nothing for code in the template. */
  readonly path?: string;
  /** Folders of its layers. */
  readonly layers?: readonly string[];
  /** Whether a layer of AWS has the packages of Powertools. */
  readonly hasPowertools?: boolean;
  /** Files beside it; nothing for code in the template. */
  readonly files?: BundleFiles;
}

/** Code that a function can't run here. */
export class CodeNotRunnable extends Error {
  override readonly name = 'CodeNotRunnable';

  /** @param install packages that are missing */
  constructor(
    message: string,
    readonly install: readonly string[] = [],
  ) {
    super(message);
  }
}

/** Where Lambda's runtime looks for a handler's file. aws-lambda-nodejs-runtime-interface-client, `src/function/module-loader.ts`. */
const EXTENSIONS = ['', '.js', '.mjs', '.cjs'];
/** Ends of files that must be compiled before. */
const SOURCES = ['.ts', '.mts', '.cts', '.tsx'];
/** Packages that Lambda's runtimes have beside the function. AWS Lambda, "Building Lambda functions with Node.js". */
const OF_RUNTIME = /^@(aws-sdk|smithy)\//;
const OF_POWERTOOLS = /^@aws-lambda-powertools\//;
/** Packages that the SDK asks for, and does without. */
const OPTIONAL = /\/signature-v4(-crt|a)$/;
const SDK_V2 = /^aws-sdk(\/|$)/;

const isNode = (runtime: unknown): boolean => runtime === undefined || String(runtime).startsWith('nodejs');

/** Finds out whether the code of a function can run here, without running it. @returns why it can't; nothing if it can */
export function findCodeObstacle(resource: Resource, assembly: Assembly): string | undefined {
  const { Runtime, PackageType } = resource.properties;
  const unless = (why: string): string | undefined => (isProviderOnly(resource, assembly) ? undefined : why);
  if (PackageType === 'Image') return unless('it is a container image, and only functions for Node.js run here');
  if (!isNode(Runtime)) return unless(`its runtime is ${String(Runtime)}, and only functions for Node.js run here`);
  try {
    findHandlerPath(resource, assembly);
    return undefined;
  } catch (error) {
    return unless((error as Error).message);
  }
}

/** Tells whether a function does the work of custom resources that it doesn't create here, and nothing else. */
export const isProviderOnly = (resource: Resource, assembly: Assembly): boolean => {
  const customs = assembly.resources.filter(
    (one) => isCustomResource(one) && one.properties.ServiceToken === resource.arn,
  );
  return customs.length > 0 && !customs.some(isRun) && !isInvoked(resource, assembly);
};

/** Resources that name a function without invoking it. */
const INVOKES_NOTHING =
  /^AWS::(IAM|Logs|CloudWatch|ApplicationAutoScaling)::|^AWS::Lambda::(Permission|EventInvokeConfig)$/;

/** Tells whether any resource names the function, besides those that invoke nothing and custom resources. */
export function isInvoked({ arn, ref, logicalId }: Resource, assembly: Assembly): boolean {
  return assembly.resources.some((one) => {
    if (one.logicalId === logicalId || INVOKES_NOTHING.test(one.type) || isCustomResource(one)) return false;
    const text = JSON.stringify(one.properties);
    return text.includes(arn) || text.includes(`"${ref}"`);
  });
}

/**
 * Reads the file of a function's handler.
 * @throws {CodeNotRunnable} says what is missing
 */
export function readHandlerFile(resource: Resource, assembly: Assembly): HandlerFile {
  const path = findHandlerPath(resource, assembly);
  const { Runtime, Code } = resource.properties;
  const runtime = Runtime === undefined ? {} : { runtime: String(Runtime) };
  const { folders: layers, hasPowertools } = findLayers(resource, assembly);
  if (path !== undefined) {
    const task = assembly.assetFolder(Code);
    const folder = posix.join('/var/task', relative(task, dirname(path)));
    return {
      source: readFileSync(path, 'utf8'),
      path,
      layers,
      hasPowertools,
      files: { task, layers, folder },
      ...runtime,
    };
  }
  return { source: String((Code as JsonObject).ZipFile), layers, hasPowertools, ...runtime };
}

/** Returns the path of a function's handler; nothing for code in the template. @throws {CodeNotRunnable} */
function findHandlerPath({ label, properties }: Resource, assembly: Assembly): string | undefined {
  const { ZipFile } = (properties.Code ?? {}) as JsonObject;
  if (typeof ZipFile === 'string') return undefined;
  const folder = assembly.assetFolder(properties.Code);
  const handler = String(properties.Handler ?? 'index.handler');
  const name = handler.slice(0, handler.length - exportOf(handler).length - 1);
  const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
  const path = EXTENSIONS.map((extension) => join(folder, `${name}${extension}`)).find(isFile);
  if (path !== undefined) return path;
  const source = SOURCES.map((extension) => `${name}${extension}`).find((file) => isFile(join(folder, file)));
  const advice = source === undefined ? '' : `; it has ${source}: compile it, and run cdk synth again`;
  throw new CodeNotRunnable(
    `the handler ${handler} of ${label} needs ${name}.js, ${name}.mjs or ${name}.cjs in its asset, which has none of them${advice}`,
  );
}

/**
 * Makes one CommonJS file of a handler's file, as environments run it: of ES modules, of several files, and of packages that Lambda's
 * runtime has beside the function. A file that needs nothing of this stays as it is.
 * @throws {CodeNotRunnable} if esbuild or a package of the runtime is missing, or esbuild refuses the code
 */
export function toSingleFile(
  { source: written, path, runtime, layers = [], hasPowertools = false }: HandlerFile,
  label: string,
): string {
  const isBeside = (name: string): boolean =>
    (OF_RUNTIME.test(name) && !OPTIONAL.test(name)) || (hasPowertools && OF_POWERTOOLS.test(name));
  const folder = path === undefined ? process.cwd() : dirname(path);
  const source = inLayers(written, layers);
  const ofLayers = packagesOfLayers(layers);
  const mustBundle = source !== written || needsBundling(source, path, isBeside, ofLayers);
  if (!mustBundle && !/\bimport\s*\(/.test(source)) return source;
  const esbuild = findEsbuild(path ?? join(folder, 'x.js'));
  if (!esbuild) {
    if (!mustBundle) return source;
    const install = ['esbuild', ...listMissing(source, path, isBeside)];
    throw new CodeNotRunnable(
      `the code of ${label} has to be bundled (ES modules, several files, @aws-sdk of Lambda's runtime, or packages of a layer), and esbuild isn't installed: npm install --save-dev ${install.join(' ')}`,
      install,
    );
  }
  const external = new Set<string>();
  let format: 'cjs' | 'esm' = 'cjs';
  for (;;) {
    try {
      const { outputFiles, metafile } = esbuild.buildSync({
        ...AS_ONE_FILE,
        stdin: { contents: source, resolveDir: folder, sourcefile: path ?? 'index.js', loader: 'js' },
        outfile: 'index.js',
        metafile: true,
        format,
        external: [...external],
        nodePaths: [...ofLayers, join(process.cwd(), 'node_modules')],
      });
      const text = resolveBeside(outputFiles[0]?.text ?? '');
      if (format === 'cjs') return text;
      const imports = Object.values(metafile.outputs)[0]?.imports.map((one) => one.path) ?? [];
      return toLaterExports(esbuild, text, new Set(imports));
    } catch (error) {
      if (format === 'cjs' && String((error as Error).message).includes('Top-level await')) {
        format = 'esm';
        continue;
      }
      const missing = unresolved(error).filter((name) => !external.has(name));
      if (missing.length === 0) throw new CodeNotRunnable(`esbuild can't bundle ${label}: ${(error as Error).message}`);
      const ofRuntime = missing.filter((name) => isBeside(name) || (SDK_V2.test(name) && hasSdkV2(runtime)));
      if (ofRuntime.length > 0) throw missingPackages(label, ofRuntime);
      for (const name of missing) external.add(name);
    }
  }
}

/** What an ES module knows of itself. The names are put together here, since a bundler of this file replaces them. */
const OF_MODULE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ url: 'file:///var/task/index.mjs', dirname: '/var/task', filename: '/var/task/index.mjs' }).map(
    ([name, value]) => [`import.meta.${name}`, JSON.stringify(value)],
  ),
);

/** Options of all calls of esbuild. A dynamic import becomes `require`, since the code runs in a realm without Node's loader. */
const AS_ONE_FILE = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20',
  logLevel: 'silent',
  define: OF_MODULE,
  supported: { 'dynamic-import': false },
} as const;

/** A comment of esbuild, which names the file whose code follows, or a path that code resolves. */
const BESIDE = /^\/\/ (.+\.[cm]?[jt]sx?)$|\brequire\.resolve\((["'])(\.{1,2}\/[^"']+)\2\)/gm;

/** Puts whole paths in the place of those that a file of a bundle resolves beside itself. */
function resolveBeside(text: string): string {
  let file = '';
  return text.replace(BESIDE, (whole, named: string | undefined, _quote, path = '') => {
    if (named !== undefined) file = resolve(named);
    return named === undefined && file !== '' ? `require.resolve(${JSON.stringify(join(dirname(file), path))})` : whole;
  });
}

/**
 * Makes a CommonJS file of an ES module that esbuild has bundled, whose top level awaits something. The imports that are left, of Node's modules, stay
 * at the top, and the rest becomes an asynchronous function that returns the exports.
 * @param imported names of modules that the bundle imports
 */
function toLaterExports(esbuild: Esbuild, text: string, imported: ReadonlySet<string>): string {
  const imports: string[] = [];
  const body = text
    .replace(/^import\s(?:[^"';]*?\sfrom\s)?"([^"]+)";$/gm, (statement, name: string) => {
      if (!imported.has(name)) return statement;
      imports.push(statement);
      return '';
    })
    .replace(/^export \{([^}]*)\};\s*$/m, (_, names: string) => {
      const members = names.split(',').map((one) => one.trim().split(' as '));
      return `return { ${members.map(([own = '', other = own]) => `${JSON.stringify(other)}: ${own}`).join(', ')} };`;
    });
  const contents = `${imports.join('\n')}
const later = (async () => {
${body}
})();
export { later as ${JSON.stringify(EXPORTS_LATER)} };`;
  const { outputFiles } = esbuild.buildSync({
    ...AS_ONE_FILE,
    stdin: { contents, loader: 'js' },
    format: 'cjs',
    external: [...imported],
  });
  return outputFiles[0]?.text ?? '';
}

/** AWS Lambda, "Lambda runtimes": runtimes up to Node.js 16 have the SDK v2 beside the function, and later ones the SDK v3. */
const hasSdkV2 = (runtime: string | undefined): boolean => /^nodejs(\d|1[0-6])\./.test(runtime ?? '');

function missingPackages(label: string, names: readonly string[]): CodeNotRunnable {
  const install = [...new Set(names.map(toPackage))];
  return new CodeNotRunnable(
    `${label} uses ${install.join(', ')} of Lambda's runtime or of a layer, not installed here: npm install --save-dev ${install.join(' ')}`,
    install,
  );
}

/** Returns the package of a module's name: `@aws-sdk/client-s3` of `@aws-sdk/client-s3/commands`. */
const toPackage = (name: string): string => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

/** Returns the packages of Lambda's runtime that a source asks for and that aren't installed, as far as its own text tells. */
function listMissing(source: string, path: string | undefined, isBeside: (name: string) => boolean): readonly string[] {
  const names = [...source.matchAll(REQUIRED), ...source.matchAll(IMPORTED)].flatMap(
    ([, one, other]) => one ?? other ?? [],
  );
  const asked = new Set(names.filter(isBeside).map(toPackage));
  const from = [path ?? join(process.cwd(), 'x.js'), join(process.cwd(), 'x.js')];
  const isInstalled = (name: string): boolean =>
    from.some((file) =>
      (createRequire(resolve(file)).resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name))),
    );
  return [...asked].filter((name) => !isInstalled(name));
}

/** Returns the imports that esbuild couldn't resolve. They fail when the code asks for them, as on Lambda. */
function unresolved(error: unknown): readonly string[] {
  const { errors = [] } = error as { errors?: readonly { readonly text: string }[] };
  return errors.flatMap(({ text }) => /^Could not resolve "([^"]+)"/.exec(text)?.[1] ?? []);
}

const REQUIRED = /\brequire\(\s*["']([^"']+)["']\s*\)|\bimport\(\s*["']([^"']+)["']\s*\)/g;
/** The module of an `import` in an ES module. */
const IMPORTED = /\bfrom\s*["']([^"']+)["']/g;
const BUILTINS = new Set(builtinModules);

function needsBundling(
  source: string,
  path: string | undefined,
  isBeside: (name: string) => boolean,
  ofLayers: readonly string[],
): boolean {
  if (path !== undefined && isEsModule(path)) return true;
  const folder = path === undefined ? process.cwd() : dirname(path);
  const names = [...source.matchAll(REQUIRED)].map(([, required, imported]) => required ?? imported ?? '');
  return names.some((name) => {
    if (name.startsWith('node:') || BUILTINS.has(name)) return false;
    if (name.startsWith('.')) return existsAsModule(resolve(folder, name));
    if (isBeside(name)) return true;
    if (OF_RUNTIME.test(name)) return false;
    if (SDK_V2.test(name) || ofLayers.some((packages) => existsSync(join(packages, name)))) return true;
    // What a bundle asks for in vain, as the SDK does for an optional package, stays a question.
    return path !== undefined && existsSync(join(folder, 'node_modules', name));
  });
}

const existsAsModule = (path: string): boolean =>
  ['', '.js', '.cjs', '.mjs', '.json', '/index.js'].some((end) => existsSync(`${path}${end}`));

/** Node.js, "Determining module system": the nearest package.json decides over `.js`. */
function isEsModule(path: string): boolean {
  if (path.endsWith('.mjs')) return true;
  const manifest = join(dirname(path), 'package.json');
  if (path.endsWith('.cjs') || !existsSync(manifest)) return false;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: string }).type === 'module';
}
