import type { Resource } from './assembly.js';

/** Something in an assembly that the simulator doesn't play. */
export interface Obstacle {
  /** Type of the resource: `AWS::SNS::Topic`. */
  readonly type: string;
  /** Path of its construct: `Shop/Orders/Topic`. */
  readonly label: string;
  /** What isn't played, in a few words: `TracingConfig`. */
  readonly what: string;
  /** What that means for whoever plays the app, where it isn't said. */
  readonly meaning?: string;
  /**
   * Whether a tolerant deployment leaves it out. What carries messages, or decides over them, is never left out: a history without it
   * would prove nothing about them.
   */
  readonly mayBeIgnored: boolean;
  /** Packages that take it out of the way, once they are installed. */
  readonly install?: readonly string[];
}

/** An assembly that has something which the simulator doesn't play. The message names all of it. */
export class AssemblyNotModelled extends Error {
  override readonly name = 'AssemblyNotModelled';

  constructor(readonly obstacles: readonly Obstacle[]) {
    super(obstacles.map(({ type, label, what }) => `${type} (${label}): ${what}`).join('\n'));
  }
}

/** Obstacles that are met while the models of an account are made. */
export class ObstaclesMet {
  private readonly met: Obstacle[] = [];

  /** Makes a model. @returns nothing if the model refuses the resource */
  attempt<T>({ type, label }: Resource, make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      if (error instanceof AssemblyNotModelled) this.met.push(...error.obstacles);
      else {
        const what = (error as Error).message.replace(`${label}: `, '');
        this.met.push({ type, label, what, mayBeIgnored: false });
      }
      return undefined;
    }
  }

  /** @throws {AssemblyNotModelled} if there are any */
  throwAll(): void {
    if (this.met.length > 0) throw new AssemblyNotModelled(this.met);
  }
}
