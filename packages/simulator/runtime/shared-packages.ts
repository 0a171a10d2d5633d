import { Script } from 'node:vm';
import { Leftovers } from './leftovers.js';
import { type Externals, provideGlobals } from './provided.js';
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
  private running: Externals | undefined;

  /** @param source a CommonJS module that exports `modules`: what `require` returns, by the name of the package */
  constructor(readonly source: string) {
    const own = this.realm.clockAndNumbers({
      now: () => this.externals.now(),
      random: () => this.externals.random().fraction(),
    });
    // A change would reach other environments.
    this.clockAndNumbers = { Date: Object.freeze(own.Date), Math: Object.freeze(own.Math) };
  }

  /** Must be called whenever code of an environment is entered: what it reaches is that of this environment. */
  enter(externals: Externals): void {
    this.running = externals;
  }

  /** Returns what `require` returns for a package; `undefined` if it isn't one of these. */
  module(name: string): unknown {
    this.modules ??= this.load();
    return this.modules[name];
  }

  private get externals(): Externals {
    if (!this.running) throw new Error('code of a shared package runs outside of every environment');
    return this.running;
  }

  private load(): Readonly<Record<string, unknown>> {
    const code = new ModuleCode(
      this.realm,
      new Script(`${OPENING}${this.source}${CLOSING}`, { filename: 'packages.js' }),
    );
    const externals: Externals = {
      env: () => this.externals.env(),
      folders: {
        scratch: () => this.externals.folders.scratch(),
        task: () => this.externals.folders.task(),
        layers: () => this.externals.folders.layers(),
      },
      random: () => this.externals.random(),
      drew: (bytes) => this.externals.drew(bytes),
      isReal: () => this.externals.isReal(),
      now: () => this.externals.now(),
      begun: () => this.externals.begun(),
      log: (level, line) => this.externals.log(level, line),
      exit: (code) => this.externals.exit(code),
      send: (request, reply) => this.externals.send(request, reply),
      timers: {
        setTimeout: (...args) => this.externals.timers.setTimeout(...args),
        setInterval: (...args) => this.externals.timers.setInterval(...args),
        setImmediate: (...args) => this.externals.timers.setImmediate(...args),
        clear: (timer) => this.externals.timers.clear(timer),
      },
      work: (begin) => this.externals.work(begin),
      // They stay for as long as the packages do.
      leftovers: new Leftovers((error) =>
        process.nextTick(() => {
          throw error;
        }),
      ),
    };
    const { globals, require } = provideGlobals(externals, this.realm);
    return code.load(globals, this.clockAndNumbers, require).modules as Readonly<Record<string, unknown>>;
  }
}
