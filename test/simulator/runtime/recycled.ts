import type { Environment } from './environment.js';

/**
 * Environments of histories that are over, to begin new ones with: loading a bundle and warming V8 up to it take most of
 * a history's time. What a module keeps from one invocation to the next stays in them, so this is right only for code
 * that behaves alike in a new environment and in a used one. Whoever uses it finds out: a history is the same, byte for
 * byte, with recycled environments and without, or the code keeps something that a killed environment would miss.
 */
export class Recycled {
  private readonly resting = new Map<string, Environment[]>();

  /** @param name of its function */
  take(name: string): Environment | undefined {
    return this.resting.get(name)?.pop();
  }

  give(name: string, environment: Environment): void {
    if (!environment.isAsNew) return;
    const others = this.resting.get(name) ?? [];
    others.push(environment);
    this.resting.set(name, others);
  }
}
