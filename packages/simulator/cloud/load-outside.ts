import { importFile, ModuleUnusable } from '../runtime/import-file.js';
import type { OutsideHosts, ThirdParty } from './outside-hosts.js';

/**
 * Loads the models of hosts outside of AWS that a module exports by default.
 * @param file a module (.ts, .mjs, .js): `export default { 'cards.example.com': { answer, refuse } }`, or a function that returns this
 * @throws {ModuleUnusable}
 */
export async function loadOutside(file: string): Promise<OutsideHosts> {
  const { default: exported } = (await importFile(file)) as { readonly default?: unknown };
  const hosts = typeof exported === 'function' ? (exported as () => unknown)() : exported;
  const isObject = typeof hosts === 'object' && hosts !== null;
  const wrong = isObject ? Object.entries(hosts).find(([, model]) => !isModel(model))?.[0] : undefined;
  if (isObject && wrong === undefined && Object.keys(hosts).length > 0) return exported as OutsideHosts;
  throw new ModuleUnusable(
    `${file}${wrong === undefined ? ' exports no hosts' : `: ${wrong} is no model of a host`}; it needs ` +
      "export default { 'cards.example.com': { answer: (request) => ({ status: 200, headers: {}, body: '' }), refuse: () => ({ status: 429, headers: {}, body: '' }) } }",
  );
}

const isModel = (value: unknown): value is ThirdParty =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<ThirdParty>).answer === 'function' &&
  typeof (value as Partial<ThirdParty>).refuse === 'function';
