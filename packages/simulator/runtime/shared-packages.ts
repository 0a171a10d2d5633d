import { Script } from 'node:vm';
import { type Outside, providedBy } from './provided.js';
import { CLOSING, type ClockAndNumbers, ModuleCode, OPENING, Realm } from './realm.js';

/**
 * Packages that the environments of many bundles share. Each of them is loaded once, in one realm with all these bundles, so that
 * V8 learns and optimises its code once, and not once more for each bundle and each environment.
 *
 * Their code reaches the outside through the environment whose code runs at the moment. State of their modules is common to all
 * environments, so a package is fit for this if it keeps none that a caller could notice. That can be checked: a history must be the
 * same, byte for byte, with bundles that contain their packages.
 */
export class SharedPackages {
  /** Realm of the packages, and of all code that requires them. */
  readonly realm = new Realm();
  /** `Date` and `Math` of the same code. */
  readonly clockAndNumbers: ClockAndNumbers;
  private modules: Readonly<Record<string, unknown>> | undefined;
  private running: Outside | undefined;

  /** @param source a CommonJS module that exports `modules`: what `require` returns, by the name of the package */
  constructor(readonly source: string) {
    const own = this.realm.clockAndNumbers({
      now: () => this.outside.now(),
      random: () => this.outside.random().fraction(),
    });
    // A change would reach other environments.
    this.clockAndNumbers = { Date: Object.freeze(own.Date), Math: Object.freeze(own.Math) };
  }

  /** Must be called whenever code of an environment is entered: what it reaches is that of this environment. */
  enter(outside: Outside): void {
    this.running = outside;
  }

  /** Returns what `require` returns for a package; `undefined` if it isn't one of these. */
  module(name: string): unknown {
    this.modules ??= this.load();
    return this.modules[name];
  }

  private get outside(): Outside {
    if (!this.running) throw new Error('code of a shared package runs outside of every environment');
    return this.running;
  }

  private load(): Readonly<Record<string, unknown>> {
    const code = new ModuleCode(
      this.realm,
      new Script(`${OPENING}${this.source}${CLOSING}`, { filename: 'packages.js' }),
    );
    const outside: Outside = {
      env: () => this.outside.env(),
      random: () => this.outside.random(),
      drew: (bytes) => this.outside.drew(bytes),
      isReal: () => this.outside.isReal(),
      now: () => this.outside.now(),
      begun: () => this.outside.begun(),
      log: (level, line) => this.outside.log(level, line),
      exit: (code) => this.outside.exit(code),
      send: (request, reply) => this.outside.send(request, reply),
      timers: {
        setTimeout: (...args) => this.outside.timers.setTimeout(...args),
        setInterval: (...args) => this.outside.timers.setInterval(...args),
        setImmediate: (...args) => this.outside.timers.setImmediate(...args),
        clear: (timer) => this.outside.timers.clear(timer),
      },
      work: (begin) => this.outside.work(begin),
    };
    const { globals, require } = providedBy(outside, this.realm);
    return code.load(globals, this.clockAndNumbers, require).modules as Readonly<Record<string, unknown>>;
  }
}
