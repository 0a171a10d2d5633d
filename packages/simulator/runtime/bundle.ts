import { Script } from 'node:vm';
import { CLOSING, type ClockAndRandom, ModuleCode, OPENING, type ProvidedGlobals, Realm } from './realm.js';
import type { SharedPackages } from './shared-packages.js';

export interface BundleOptions {
  /** Result of {@link Bundle.compiled} for the same source. V8 ignores that of another version of itself. */
  readonly cached?: Buffer | undefined;
  /** Packages that the source requires, where it doesn't contain them. */
  readonly packages?: SharedPackages | undefined;
  /** Files beside it. @default none */
  readonly files?: BundleFiles | undefined;
}

/** Folders of a function's files on this machine. */
export interface BundleFiles {
  /** Its asset: `/var/task`. */
  readonly task: string;
  /** Its layers, which are put one over another: `/opt`. */
  readonly layers: readonly string[];
  /** Folder of the handler's file, as its code knows it: `/var/task/dist`. */
  readonly folder: string;
}

/** A function's code: one CommonJS file, compiled once for all environments that run it. */
export class Bundle {
  readonly packages: SharedPackages | undefined;
  readonly files: BundleFiles | undefined;
  private script: Script | undefined;
  private compiledModule: ModuleCode | undefined;
  private cached: Buffer | undefined;
  /** Text that V8 compiles, and keeps for as long as it runs: the source is a part of it, without a copy of its own. */
  private readonly wrapped: string;

  /** @param name for stack traces and the trace of a history */
  constructor(
    readonly name: string,
    source: string,
    { cached, packages, files }: BundleOptions = {},
  ) {
    this.files = files;
    this.cached = cached;
    this.packages = packages;
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

  /**
   * Runs its code for a new environment.
   * @param sources of the environment's clock and random numbers; those of packages are the packages' own
   * @param folder of its file, as it knows it. @default /var/task
   * @returns its exports @throws what the module throws
   */
  load(
    globals: ProvidedGlobals,
    sources: ClockAndRandom,
    require: (name: string) => unknown,
    folder?: string,
  ): Readonly<Record<string, unknown>> {
    const { module, packages } = this;
    if (!packages) return module.load(globals, module.realm.clockAndNumbers(sources), require, folder);
    return module.load(globals, packages.clockAndNumbers, (name) => packages.module(name) ?? require(name), folder);
  }

  /** Realm in which its code runs. */
  get realm(): Realm {
    return this.module.realm;
  }

  /** @see Realm.cleaned */
  cleaned(): string | undefined {
    return this.module.realm.cleaned();
  }

  /** Its module, compiled when the first environment starts: in the realm of the packages, or in its own. */
  private get module(): ModuleCode {
    if (this.compiledModule) return this.compiledModule;
    this.script = new Script(this.wrapped, {
      filename: `${this.name}.js`,
      ...(this.cached && { cachedData: this.cached }),
    });
    this.cached = undefined;
    this.compiledModule = new ModuleCode(this.packages?.realm ?? new Realm(), this.script);
    return this.compiledModule;
  }
}
