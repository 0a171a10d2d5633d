import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkModules } from '../../../tools/bench/copied-tree.js';
import { devKey } from '../../../tools/local/dev-issuer.js';
import { SOURCES } from '../../../tools/local/kept-assemblies.js';
import type { LocalRun } from '../../../tools/local/local-run.js';
import { Started } from './started.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Files that a start reads. */
const COPIED = [...SOURCES, 'packages', 'tools', 'package.json', 'tsconfig.json'];

/**
 * A copy of the working tree, so that tests change sources and start processes without touching the tree, its
 * `.orderly/local.json`, or an `npm start` in it. It shares the tree's installed modules, its synthesized assemblies,
 * its bundles and its development key (which is part of `dev`), so that what has the same sources is not made again.
 */
export class Clone {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'orderly-clone-')));
  private readonly started: Started[] = [];

  /** @param options `assemblies`: of its own where a start must synthesize. @default shared */
  constructor({ assemblies = 'shared' }: { readonly assemblies?: 'shared' | 'of its own' } = {}) {
    this.restore();
    linkModules(join(ROOT, 'node_modules'), this.at('node_modules'));
    devKey();
    mkdirSync(this.at('.orderly'));
    cpSync(join(ROOT, '.orderly', 'dev-key.json'), this.at('.orderly/dev-key.json'));
    mkdirSync(this.at('.build'));
    this.share('bundle-cache');
    if (assemblies === 'shared') this.share('assemblies');
  }

  /** Gives every source its content and its time in the tree, so that a command that was bundled is not bundled again. */
  restore(): void {
    for (const path of COPIED) {
      rmSync(this.at(path), { recursive: true, force: true });
      cpSync(join(ROOT, path), this.at(path), { recursive: true, preserveTimestamps: true });
    }
  }

  /** Shares what the tree has made, in the place of what the copy has made itself. */
  share(what: 'assemblies' | 'bundle-cache'): void {
    const made = join(ROOT, '.build', what);
    mkdirSync(made, { recursive: true });
    rmSync(this.at(`.build/${what}`), { recursive: true, force: true });
    symlinkSync(made, this.at(`.build/${what}`));
  }

  at(path: string): string {
    return join(this.folder, path);
  }

  /** Starts a command of `tools/run.mjs`, as npm does. */
  run(...args: readonly string[]): Started {
    return this.runOn(process.execPath, ...args);
  }

  /** Does the same with another Node than the running one. */
  runOn(node: string, ...args: readonly string[]): Started {
    return this.begin(node, ['tools/run.mjs', ...args]);
  }

  /** Runs a line in bash, as somebody pastes it. */
  paste(line: string): Started {
    return this.begin('bash', ['-c', line]);
  }

  /** Returns what `.orderly/local.json` says, or `undefined` if there is none. */
  localRun(): LocalRun | undefined {
    const file = this.at('.orderly/local.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LocalRun) : undefined;
  }

  /** Ends what still runs, and removes the copy. */
  async remove(): Promise<void> {
    await Promise.all(this.started.map((one) => one.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private begin(program: string, args: readonly string[]): Started {
    const started = new Started(program, args, this.folder);
    this.started.push(started);
    return started;
  }
}
