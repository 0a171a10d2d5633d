import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bundle } from '../runtime/bundle.js';

/** Milliseconds after which a new bundle's compiled code is kept: most of what it calls has been compiled by then. */
const KEPT_AFTER = 10_000;

/**
 * Compiled code of bundles in a folder, so that the next start compiles less. V8 compiles a function when it is called first,
 * and what it has compiled until the code is kept is what the next start needn't compile. A cache is only a hint: a missing,
 * broken or outdated file costs time, and nothing else.
 */
export class CodeCache {
  constructor(private readonly folder: string) {}

  /** @param name for stack traces */
  bundle(name: string, source: string): Bundle {
    const file = join(this.folder, `${createHash('sha256').update(`${process.version} ${source}`).digest('hex')}.bin`);
    const bundle = new Bundle(name, source, { cached: readIfThere(file) });
    setTimeout(() => {
      if (!bundle.isFromCache) writeAtomically(file, bundle);
    }, KEPT_AFTER).unref();
    return bundle;
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Writes in one step: another start may read it. */
function writeAtomically(file: string, bundle: Bundle): void {
  const compiled = bundle.compiled();
  if (!compiled) return;
  try {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, compiled);
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A full or read-only disk: the next start compiles again.
  }
}
