import { resolve } from 'node:path';
import { importFile, ModuleUnusable } from '../runtime/import-file.js';
import { collectScenarios } from './prove.js';
import type { Scenario } from './scenario.js';

/** A file of scenarios that can't be used: what is wrong, and what would be right. */
export class ScenarioUnusable extends ModuleUnusable {
  override readonly name = 'ScenarioUnusable';
}

/**
 * Loads the scenarios that a file exports, `export default scenario` or any number by name, and those that it gives to `checkScenario`. TypeScript is made to JavaScript by the esbuild
 * that is installed, without checking its types.
 * @throws {ScenarioUnusable}
 */
export async function loadScenarios(file: string): Promise<readonly Scenario[]> {
  let exported: Readonly<Record<string, unknown>> = {};
  const checked = await collectScenarios(async () => {
    exported = (await importFile(resolve(file))) as Readonly<Record<string, unknown>>;
  });
  const scenarios = [...Object.values(exported).filter(isScenario), ...checked];
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
