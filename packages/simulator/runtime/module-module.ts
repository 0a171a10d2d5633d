import { realpathSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, posix, relative } from 'node:path';
import type { Folders } from './filesystem.js';
import { completed } from './node-members.js';

/** Runs the source of a CommonJS module. @returns its exports */
export type Compile = (source: string, folder: string) => Record<string, unknown>;

interface ModuleOptions {
  readonly require: (name: string) => unknown;
  readonly compile: Compile;
}

/** Returns the module `module`, which is the class of all modules. Packages compile changed copies of others by it. Node.js, "Modules: node:module API". */
export function createModuleModule({ require, compile }: ModuleOptions): object {
  class Module {
    exports: Record<string, unknown> = {};
    readonly children = [];
    readonly paths = [];
    readonly require = require;
    loaded = false;
    filename: string | null = null;

    constructor(readonly id = '') {}

    _compile(source: string, filename: string): void {
      this.exports = compile(source, posix.dirname(filename));
    }
  }
  const real = process.getBuiltinModule('node:module');
  const members = completed('module', { builtinModules: real.builtinModules, isBuiltin, createRequire: () => require });
  const { prototype: _, length: _length, name: _name, ...statics } = members as Record<string, unknown>;
  return Object.assign(Module, statics, { Module });
}

/**
 * Returns the path of a module as code knows it: a name of Node's, or a file of its asset or its layers, which it may read. A bundle is one file, so
 * a relative path begins at the asset.
 * @throws {Error} with Node's code, for packages that do without
 */
export function resolveModule(name: string, { task, layers }: Folders): string {
  if (isBuiltin(name)) return name;
  const roots = [
    ...[task() ?? []].flat().map((folder) => [folder, folder, '/var/task'] as const),
    ...layers().map((folder) => [folder, join(folder, 'nodejs'), '/opt'] as const),
  ];
  for (const [folder, from, shown] of roots) {
    const found = tryResolve(name, from);
    const below = found === undefined ? '..' : relative(realpathSync(folder), found);
    if (!below.startsWith('..')) return posix.join(shown, below);
  }
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND', requireStack: [] });
}

function tryResolve(name: string, from: string): string | undefined {
  try {
    return createRequire(join(from, 'index.js')).resolve(name);
  } catch {
    return undefined;
  }
}
