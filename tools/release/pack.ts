import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../../packages/console/server/build.js';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const PACKAGES = ['client', 'console', 'kit', 'operator', 'simulator'] as const;

/** Returns the folder of a package's modules for Node, below `packages/`. The console's other folders are its page, for a browser. */
export const modulesOf = (name: (typeof PACKAGES)[number]): string => (name === 'console' ? 'console/server' : name);

/** Of a `package.json` in `packages/`, what differs from the published one. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Error for a build or a pack that failed. Its message contains the tool's output. */
class PackFailed extends Error {
  override readonly name = 'PackFailed';
}

/** `npm run pack [-- <folder>]`: writes the tarballs of the packages, into `.build/packages` by default. */
export async function main([folder = join(ROOT, '.build', 'packages')]: readonly string[]): Promise<number> {
  for (const tarball of pack(resolve(folder))) console.log(tarball);
  return 0;
}

/**
 * Compiles the packages, and packs each into a tarball, as it would be published.
 *
 * In this repository `exports` leads to TypeScript sources, so that nothing is built before it is used. In the tarball
 * it leads to JavaScript and types.
 * @param folder absolute path of the folder for the tarballs, and for what is compiled; it is emptied first
 * @param names of the packages
 * @returns paths of the tarballs
 * @throws {PackFailed}
 */
export function pack(folder: string, names: readonly (typeof PACKAGES)[number][] = PACKAGES): readonly string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Together: a package may be made of another one's modules.
  compile(join(ROOT, 'packages'), folder, { of: names.map(modulesOf) });
  return names.map((name) => {
    const source = join(ROOT, 'packages', name);
    const built = join(folder, name);
    const manifest: Manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
    writeFileSync(join(built, 'package.json'), `${JSON.stringify(toPublishedManifest(manifest), null, 2)}\n`);
    copyFileSync(join(source, 'README.md'), join(built, 'README.md'));
    if (name === 'console') writePage(join(built, 'built'));
    const pages = join(source, 'docs');
    if (existsSync(pages)) cpSync(pages, join(built, 'docs'), { recursive: true });
    copyFileSync(join(ROOT, 'LICENSE'), join(built, 'LICENSE'));
    for (const one of listBundled(manifest))
      cpSync(join(folder, one), join(built, 'node_modules', `@orderly/${one}`), { recursive: true });
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], built));
    return join(folder, filename);
  });
}

/** Returns the packages of this repository that a package's tarball contains: the simulator is installed by itself, with its page. */
const listBundled = ({ name, dependencies = {} }: Manifest): readonly (typeof PACKAGES)[number][] =>
  name === '@orderly/simulator' ? PACKAGES.filter((one) => `@orderly/${one}` in dependencies) : [];

/** Writes the files of the console's page, which the published package serves as they are. */
function writePage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(buildPage())) writeFileSync(join(folder, file), text);
}

/**
 * Compiles the sources below a folder, without their tests.
 * @param of folders below it, with what they import. @default all
 * @param options of the compiler, besides those that publishing needs
 * @throws {PackFailed}
 */
export function compile(
  source: string,
  built: string,
  {
    of = ['.'],
    options = {},
  }: { readonly of?: readonly string[]; readonly options?: Readonly<Record<string, boolean>> } = {},
): void {
  const project = `${built}.tsconfig.json`;
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rootDir: source,
      outDir: built,
      typeRoots: [join(ROOT, 'node_modules', '@types')],
      ...options,
    },
    include: of.map((folder) => join(source, folder, '**', '*.ts')),
    exclude: [join(source, '**', '*.test.ts'), join(source, '**', 'support', '**')],
  };
  writeFileSync(project, JSON.stringify(config));
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--singleThreaded', '-p', project], ROOT);
}

function toPublishedManifest({ private: _, exports, bin = {}, ...manifest }: Manifest): object {
  const modules = Object.entries(exports).map(([name, file]) => {
    const path = file.replace(/\.ts$/, '');
    return [name, { types: `${path}.d.ts`, default: `${path}.js` }] as const;
  });
  const commands = Object.entries(bin).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')] as const);
  const bundled = listBundled({ ...manifest, exports }).map((one) => `@orderly/${one}`);
  return {
    ...manifest,
    ...(bundled.length > 0 && { bundleDependencies: bundled }),
    ...(commands.length > 0 && { bin: Object.fromEntries(commands) }),
    exports: Object.fromEntries(modules),
  };
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new PackFailed(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
}
