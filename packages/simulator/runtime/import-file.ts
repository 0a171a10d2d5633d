import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findEsbuild } from './esbuild.js';

/** A module of a user that can't be used: what is wrong, and what would be right. */
export class ModuleUnusable extends Error {
  override readonly name: string = 'ModuleUnusable';
}

/** Number of the last module: Node loads each address once. */
let imported = 0;

/**
 * Loads a module of a user. TypeScript is made to JavaScript by the esbuild that is installed, without checking its types.
 * @throws {ModuleUnusable}
 */
export async function importFile(file: string): Promise<unknown> {
  const path = resolve(file);
  if (!existsSync(path)) throw new ModuleUnusable(`there is no file ${file}`);
  if (!/\.[cm]?ts$/.test(path)) return load(path, path);
  const esbuild = findEsbuild(path);
  if (!esbuild)
    throw new ModuleUnusable(
      `${path} is TypeScript, which esbuild makes to JavaScript: npm install --save-dev esbuild`,
    );
  // Beside it, so that what it imports is found.
  const built = join(dirname(path), `.orderly-${process.pid}-${++imported}.mjs`);
  try {
    const { outputFiles } = esbuild.buildSync({
      entryPoints: [path],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    writeFileSync(built, outputFiles[0]?.text ?? '');
    return await load(path, built);
  } catch (error) {
    throw error instanceof ModuleUnusable ? error : unusable(path, error);
  } finally {
    rmSync(built, { force: true });
  }
}

/** @param path of the user's file @param built of the JavaScript that is made of it */
async function load(path: string, built: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(built).href);
  } catch (error) {
    throw unusable(path, error);
  }
}

const unusable = (path: string, error: unknown): ModuleUnusable =>
  new ModuleUnusable(`${path} can't be loaded: ${(error as Error).message}`, { cause: error });
