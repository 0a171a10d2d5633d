import { spawnSync } from 'node:child_process';
import v8 from 'node:v8';

/**
 * Sets a flag of V8 for the whole process, if this version of V8 has it. Flags are V8's own affair: they come and go with its
 * versions, and V8 prints an error for one that it doesn't know. So Node is asked first, which takes about 30 ms.
 * @param name without dashes: `heap-growing-percent`
 * @param node program that is asked. @default the running one
 * @returns whether it is set
 */
export function setV8Flag(name: string, value: number, node = process.execPath): boolean {
  // Empty where the program isn't Node, or can't be started.
  const { stdout } = spawnSync(node, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  const isKnown = new RegExp(`^ +--${name} `, 'm').test(stdout ?? '');
  if (isKnown) v8.setFlagsFromString(`--${name}=${value}`);
  return isKnown;
}
