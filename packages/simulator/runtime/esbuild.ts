import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export type Esbuild = Pick<typeof import('esbuild'), 'buildSync'>;

/**
 * Finds esbuild, which apps with `NodejsFunction` have: where a file is, in the current folder, or beside the simulator.
 * @param file from whose folder it is looked for first
 * @returns `undefined` if it isn't installed
 */
export function findEsbuild(file: string): Esbuild | undefined {
  for (const from of [resolve(file), join(process.cwd(), 'x.js'), import.meta.url]) {
    try {
      return createRequire(from)('esbuild') as typeof import('esbuild');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}
