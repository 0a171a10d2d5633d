import { BUGS } from '../../test/simulation/planted/bugs.js';
import type { PromiseId } from './record.js';

/** Test that must fail without a guard. */
export interface GuardTest {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Title of the test, or of a group of tests. */
  readonly name: string;
}

/** A place in the sources that keeps a promise. */
export interface Guard {
  readonly promise: PromiseId;
  /** What the guard does, as a sentence without its full stop. */
  readonly guard: string;
  /** Path of its source from the root of the repository. */
  readonly file: string;
  /** The source text of the guard, and what stands there instead once it is removed. */
  readonly from: string | RegExp;
  readonly to: string;
  readonly test: GuardTest;
}

/** Returns a guard that one of the planted bugs removes. @throws {Error} if there is no such bug in a source */
export function removedBy(bug: string, guard: Pick<Guard, 'promise' | 'guard' | 'test'>): Guard {
  const source = BUGS.find(({ name }) => name === bug)?.source;
  if (!source) throw new Error(`no planted bug in a source is called '${bug}'`);
  const { file, from, to } = source;
  return { ...guard, file, from, to };
}

/** Returns the text of a source without a guard. @throws {Error} if the guard isn't there */
export function withoutGuard(text: string, { file, from, to }: Pick<Guard, 'file' | 'from' | 'to'>): string {
  const changed = typeof from === 'string' ? text.replace(from, () => to) : text.replace(from, to);
  if (changed === text) throw new Error(`${file} has no: ${from}`);
  return changed;
}

/** Returns the line of a guard in its source, from 1. @throws {Error} if the guard isn't there */
export function lineOf(text: string, { file, from }: Pick<Guard, 'file' | 'from'>): number {
  const at = typeof from === 'string' ? text.indexOf(from) : text.search(from);
  if (at < 0) throw new Error(`${file} has no: ${from}`);
  return text.slice(0, at).split('\n').length;
}

/** Returns the source text that is removed. */
export function removedText(text: string, { from }: Pick<Guard, 'from'>): string {
  return typeof from === 'string' ? from : (text.match(from)?.[0] ?? '');
}
