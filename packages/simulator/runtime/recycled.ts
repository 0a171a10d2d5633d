import type { Environment } from './environment.js';

/** Maximum number per function; a burst leaves hundreds, and each takes a megabyte or more. */
const MAX_POOLED = 12;

/**
 * Environments of finished histories, and those that were idle for so long that AWS would remove them, for use instead
 * of new ones: loading a bundle and warming V8 up to it take most of a history's time. A module keeps its state in them
 * from one invocation to the next, so this is correct only for code that behaves alike in a new environment and in a
 * used one. A test can check that: a history must be the same, byte for byte, with and without recycled environments.
 * Otherwise the code keeps state that it would miss after a kill.
 */
export class EnvironmentPool {
  private readonly resting = new Map<string, Environment[]>();

  /** @param name of its function */
  take(name: string): Environment | undefined {
    return this.resting.get(name)?.pop();
  }

  /**
   * @returns whether it was kept: other histories can only use an environment that is as new, and a few per function
   *   are enough
   */
  give(name: string, environment: Environment): boolean {
    if (!environment.isAsNew) return false;
    const others = this.resting.get(name) ?? [];
    if (others.length >= MAX_POOLED) return false;
    others.push(environment);
    this.resting.set(name, others);
    return true;
  }
}
