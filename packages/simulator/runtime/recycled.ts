import type { Environment } from './environment.js';

/** Of one function; a burst leaves hundreds, and each takes a megabyte or more. */
const MOST = 12;

/**
 * Environments of histories that are over, and those that were idle for so long that AWS would take them away, in the place
 * of new ones: loading a bundle and warming V8 up to it take most of a history's time. What a module keeps from one
 * invocation to the next stays in them, so this is right only for code that behaves alike in a new environment and in a used
 * one. Whoever uses it finds out: a history is the same, byte for byte, with recycled environments and without, or the code
 * keeps something that a killed environment would miss.
 */
export class Recycled {
  private readonly resting = new Map<string, Environment[]>();

  /** @param name of its function */
  take(name: string): Environment | undefined {
    return this.resting.get(name)?.pop();
  }

  /** @returns whether it is kept: what isn't as new is of no use to another history, and of one function a few are enough */
  give(name: string, environment: Environment): boolean {
    if (!environment.isAsNew) return false;
    const others = this.resting.get(name) ?? [];
    if (others.length >= MOST) return false;
    others.push(environment);
    this.resting.set(name, others);
    return true;
  }
}
