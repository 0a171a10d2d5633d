import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { CLOSING, OPENING, Realm } from './realm.js';

// Bytes of bytecode after which V8 optimises a function; the default is a fifteenth of this. Code runs in many
// short-lived environments, and the optimisation cost more than it saved.
setFlagsFromString('--interrupt-budget=1000000');

/** A function's code as it is deployed: one CommonJS file, compiled once for all environments that run it. */
export class Bundle {
  private script: Script | undefined;
  private shared: Realm | undefined;
  /** What V8 compiles, and keeps for as long as it runs: the source is a part of it, without a copy of its own. */
  private readonly wrapped: string;

  /**
   * @param name for stack traces and the trace of a history
   * @param cached what {@link compiled} returned for the same source. V8 ignores that of another version of itself
   */
  constructor(
    readonly name: string,
    source: string,
    private cached?: Buffer | undefined,
  ) {
    this.wrapped = `${OPENING}${source}${CLOSING}`;
  }

  get source(): string {
    return this.wrapped.slice(OPENING.length, -CLOSING.length);
  }

  /** Whether it runs the compiled code that it was given. */
  get isFromCache(): boolean {
    return this.script?.cachedDataRejected === false;
  }

  /** Returns what V8 has compiled of it so far; `undefined` if it was never loaded. */
  compiled(): Buffer | undefined {
    return this.script?.createCachedData();
  }

  /** @throws {Error} if there is no such file @param folder an asset of a cloud assembly */
  static read(folder: string, name: string, change: (source: string) => string = (source) => source): Bundle {
    return new Bundle(name, change(readFileSync(join(folder, 'index.js'), 'utf8')));
  }

  /** Realm that its environments share. It is made, and its code compiled, when the first one starts. */
  get realm(): Realm {
    if (this.shared) return this.shared;
    this.script = new Script(this.wrapped, {
      filename: `${this.name}.js`,
      ...(this.cached && { cachedData: this.cached }),
    });
    this.cached = undefined;
    this.shared = new Realm(this.script);
    return this.shared;
  }
}
