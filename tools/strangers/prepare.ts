import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type StrangersApp, StrangersUnreadable } from './stranger.js';

/** App descriptions, requests and versions of packages that this repository keeps; the apps' code is fetched by whoever plays them. */
const KEPT = fileURLToPath(new URL('./apps/', import.meta.url));
const PACKAGES = fileURLToPath(new URL('./packages.json', import.meta.url));

const NPM = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];

/**
 * Makes the folder that `npm run strangers` plays: the code of each app at its commit, and its assembly by its own `cdk synth`. All apps share
 * one install of the CDK and of the packages that they name; a folder of an app that `install` names gets packages of its own.
 * @param clones folder with a clone of each repository, by its name; a bare one suffices
 * @param names names of the folders in tools/strangers/apps; all, if there is none
 * @returns names of the apps that were not synthesized
 * @throws {StrangersUnreadable} if a clone is missing
 */
export function prepareStrangers(clones: string, folder: string, names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !existsSync(join(KEPT, name)));
  if (unknown !== undefined) throw new StrangersUnreadable(`there is no ${unknown} in ${KEPT}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(PACKAGES, join(folder, 'package.json'));
  // Its lock file is the one that the CDK's bundling looks for, from an app's folder upwards.
  run('npm', NPM, { cwd: folder });
  return readdirSync(KEPT)
    .filter((name) => names.length === 0 || names.includes(name))
    .filter((name) => !prepare(name, clones, join(folder, name)));
}

/** @returns false if the app's own `cdk synth` fails */
function prepare(name: string, clones: string, folder: string): boolean {
  const app = JSON.parse(readFileSync(join(KEPT, name, 'app.json'), 'utf8')) as StrangersApp;
  const { repository, path } = locateStranger(app);
  const clone = join(clones, repository.split('/')[1] ?? '');
  if (!existsSync(clone))
    throw new StrangersUnreadable(
      `${clone} is missing: git clone --filter=blob:none --no-checkout https://github.com/${repository} ${clone}`,
    );
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(KEPT, name), folder, { recursive: true });
  const code = join(folder, 'code');
  mkdirSync(code);
  // The first folder of the path, since a stack may take files from beside its own folder.
  const archive = ['archive', app.commit, ...(path === '' ? [] : [path.split('/')[0] ?? ''])];
  run('tar', ['x', '-C', code], { input: run('git', archive, { cwd: clone }) });
  for (const own of app.install ?? []) run('npm', [...NPM, '--no-package-lock'], { cwd: join(code, own) });
  try {
    const bin = join(folder, '..', 'node_modules', '.bin');
    const env = {
      // Code of strangers runs here: it gets no credentials.
      HOME: folder,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      TS_NODE_TRANSPILE_ONLY: 'true',
      AWS_REGION: 'eu-west-1',
      ...app.environment,
    };
    const output = join(folder, 'cdk.out');
    const cwd = join(code, path);
    const [build, ...args] = app.build ?? [];
    if (build !== undefined) run(build, args, { cwd, env });
    // Errors of an app's own rules (cdk-nag) don't keep it from running.
    const options = ['--quiet', '--no-notices', '--no-version-reporting', '--ignore-errors', '--output', output];
    run('cdk', ['synth', ...options], { cwd, env });
    console.log(`${app.name}: synthesized`);
    return true;
  } catch (error) {
    console.error(`${app.name}: ${(error as Error).message}`);
    return false;
  }
}

/** Splits the address of an app into its repository and the folder in it. */
export function locateStranger({ source }: StrangersApp): { readonly repository: string; readonly path: string } {
  const [, repository, path = ''] =
    /^https:\/\/github\.com\/([^/]+\/[^/]+)(?:\/tree\/[^/]+\/(.+))?$/.exec(source) ?? [];
  if (repository === undefined) throw new StrangersUnreadable(`${source} is no address of a repository at GitHub`);
  return { repository, path };
}

const run = (command: string, args: readonly string[], options: ExecFileSyncOptions): Buffer =>
  execFileSync(command, args, { stdio: 'pipe', maxBuffer: 2 ** 30, ...options }) as Buffer;
