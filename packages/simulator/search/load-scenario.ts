import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findEsbuild } from '../runtime/esbuild.js';
import type { Scenario } from './scenario.js';

/** A file of scenarios that can't be used: what is wrong, and what would be right. */
export class ScenarioUnusable extends Error {
  override readonly name = 'ScenarioUnusable';
}

/**
 * Loads the scenarios that a file exports: `export default scenario`, or any number by name. TypeScript is made to JavaScript by the esbuild
 * that is installed, without checking its types.
 * @throws {ScenarioUnusable}
 */
export async function loadScenarios(file: string): Promise<readonly Scenario[]> {
  const exported = (await importFile(resolve(file))) as Readonly<Record<string, unknown>>;
  const scenarios = Object.values(exported).filter(isScenario);
  if (scenarios.length > 0) return [...new Set(scenarios)];
  throw new ScenarioUnusable(
    `${file} exports no scenario; it needs export default { name: '...', async play(cloud) { return []; } }`,
  );
}

const isScenario = (value: unknown): value is Scenario =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Scenario>).name === 'string' &&
  typeof (value as Partial<Scenario>).play === 'function';

async function importFile(path: string): Promise<unknown> {
  if (!/\.[cm]?ts$/.test(path)) return import(pathToFileURL(path).href);
  const esbuild = findEsbuild(path);
  if (!esbuild)
    throw new ScenarioUnusable(
      `${path} is TypeScript, which esbuild makes to JavaScript: npm install --save-dev esbuild`,
    );
  // Beside it, so that what it imports is found.
  const built = join(dirname(path), `.orderly-simulate-${process.pid}.mjs`);
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
    return await import(pathToFileURL(built).href);
  } catch (error) {
    throw new ScenarioUnusable(`${path} can't be loaded: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(built, { force: true });
  }
}
