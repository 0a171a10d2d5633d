// The operator's command line in one piece: without it, each start transpiles and loads hundreds of files. Plain JavaScript,
// because it decides whether the TypeScript loader is needed at all.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Files that decide what a bundle holds, beside its sources. npm writes the list in node_modules, so it stands for all that
 * is installed; as long as both lists are the same, nothing is missing either.
 */
const ALWAYS = [
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.json',
  'tools/bundle.mjs',
];

/** Loaded by few calls, and larger than all the rest. */
const EXTERNAL = ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'esbuild', 'tsx'];

/** Milliseconds after which a replaced bundle is deleted: a process that began with it may still load parts of it. */
const KEPT = 86_400_000;

/** Some packages call `require` for modules of Node; a bundle in ESM has none. */
const BANNER = "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);";

const nameOf = (entry) => basename(entry, '.ts');
const folderOf = (root, entry) => join(root, '.build', 'bundles', nameOf(entry));

/**
 * Finds the module of a bundle that is as new as its sources.
 * @param root absolute path of the clone
 * @param entry path of the entry point in it: `bin/orderly.ts`
 * @returns absolute path, or undefined
 */
export function freshBundle(root, entry) {
  const folder = folderOf(root, entry);
  const known = newestIn(folder);
  if (known?.root !== root) return undefined;
  if (!Object.entries(known.inputs).every(([file, stamp]) => stampOf(root, file) === stamp)) return undefined;
  const module = join(folder, known.made, `${nameOf(entry)}.js`);
  return existsSync(module) ? module : undefined;
}

/**
 * Bundles an entry point, and keeps the bundle.
 * @returns absolute path of its module; undefined where it can't be made or kept: then the sources are to be run
 */
export async function makeBundle(root, entry) {
  try {
    return await made(root, entry, folderOf(root, entry));
  } catch {
    return undefined; // The loader of the sources says what is wrong with them; a clone may be read-only.
  }
}

function newestIn(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'newest.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** What changes whenever a file does; not its content, which would have to be read at each start. */
function stampOf(root, file) {
  try {
    const { mtimeMs, size } = statSync(join(root, file));
    return `${mtimeMs} ${size}`;
  } catch {
    return 'none';
  }
}

async function made(root, entry, folder) {
  const began = Date.now();
  mkdirSync(folder, { recursive: true });
  const building = mkdtempSync(join(folder, 'building-'));
  try {
    const inputs = await build(root, entry, building);
    const name = basename(building).replace('building-', `${began}-`);
    renameSync(building, join(folder, name));
    const stamps = [...ALWAYS, ...inputs].map((file) => {
      const stamp = stampOf(root, file);
      // A file that was saved during the build may be in it in either version.
      return [file, Number(stamp.split(' ')[0]) > began - 50 ? 'changed' : stamp];
    });
    // In one step, since another process may read it.
    const note = join(folder, name, 'made.json');
    writeFileSync(note, JSON.stringify({ root, made: name, inputs: Object.fromEntries(stamps) }));
    renameSync(note, join(folder, 'newest.json'));
    removeOld(folder, name);
    return join(folder, name, `${nameOf(entry)}.js`);
  } catch (error) {
    rmSync(building, { recursive: true, force: true });
    throw error;
  }
}

/** Bundles an entry point into a folder. @returns the sources in it, without those in node_modules */
async function build(root, entry, outdir) {
  const { build: bundle } = await import('esbuild');
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true, // What a command imports when it runs stays a file of its own.
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: EXTERNAL,
    banner: { js: BANNER },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [{ name: 'import.meta', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, atItsPlace) }],
  });
  return Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/'));
}

/** A source finds files beside itself, also from within a bundle. */
function atItsPlace({ path }) {
  const text = readFileSync(path, 'utf8');
  if (!text.includes('import.meta.url')) return undefined;
  return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
}

/** Deletes bundles that were replaced a while ago. */
function removeOld(folder, newest) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name !== newest && name !== 'newest.json' && Date.now() - statSync(path).mtimeMs > KEPT)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Replaces places in bundles by places in their sources. Source maps are read here, when there is an error, because Node
 * would read them at each start.
 * @param stack of an error
 */
export function withSources(stack) {
  return stack.replace(/((?:file:\/\/)?\/[^\s():]+\.js):(\d+):(\d+)/g, (place, file, line, column) => {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    if (!existsSync(`${path}.map`)) return place;
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
    const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1);
    if (originalSource === undefined) return place;
    return `${relative(process.cwd(), resolve(dirname(path), originalSource))}:${originalLine + 1}:${originalColumn + 1}`;
  });
}
