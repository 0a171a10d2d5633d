import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Bundle } from '../runtime/bundle.js';
import type { CodeHost, EnvironmentHost, FunctionCode, RunningCode } from '../runtime/environment.js';
import type { SharedPackages } from '../runtime/shared-packages.js';
import type { FromThread, SharedClock, ThreadData, ToEnvironment, ToThread, TurnMessage } from './messages.js';
import { RemoteEnvironment } from './remote-environment.js';

/**
 * Real milliseconds after which a thread that doesn't acknowledge the end of an environment counts as blocked. On a busy
 * machine a thread may get no core for a second or two.
 */
const BLOCKED_AFTER = 4_000;

/** Resources that the account provides to threads. */
export interface ThreadsSettings {
  readonly clock: SharedClock;
  /** Runs before the messages of a thread are taken, and after them: the world lives by the real clock. */
  readonly around: (take: () => void) => void;
  /** Called for a thread that was replaced, with what failed. */
  readonly replaced: (line: string) => void;
  /** @default one less than the machine's cores, from 2 to 4: functions take more time than the account */
  readonly threads?: number;
  /** @see LiveOptions.codeCache */
  readonly codeCache?: string | undefined;
  /** Whether a client waits for what a function answers. @param label path of its construct */
  readonly isAwaited: (label: string) => boolean;
}

/**
 * Threads in which functions run, so that one that loops for ever can't stop the account: its thread is replaced. A
 * function runs in always the same thread, which has compiled its code.
 */
export class Threads implements CodeHost {
  private readonly threads: FunctionThread[];
  private readonly byFunction = new Map<string, FunctionThread>();
  /** Number of functions that run in other threads than the first. */
  private others = 0;
  private readonly restful: (() => void)[] = [];
  private environments = 0;

  constructor(private readonly settings: ThreadsSettings) {
    const { threads = Math.min(4, Math.max(2, availableParallelism() - 1)) } = settings;
    const rested = (): void => {
      if (this.isQuiet) for (const tell of this.restful.splice(0)) tell();
    };
    this.threads = Array.from({ length: threads }, () => new FunctionThread(settings, rested));
  }

  start({ label, bundle, variables, handler }: FunctionCode, around: EnvironmentHost): RunningCode {
    const { name } = bundle;
    const thread = this.byFunction.get(label) ?? this.threadFor(label);
    this.byFunction.set(label, thread);
    const environment = ++this.environments;
    const seed = `${around.random.id()}/${environment}`;
    const { begun } = around;
    const shares = bundle.packages !== undefined;
    return thread.start({ kind: 'start', environment, name, shares, variables, handler, seed, begun }, bundle, around);
  }

  /** A client's request must not wait for the work that earlier requests have caused: the first thread is for clients. */
  private threadFor(label: string): FunctionThread {
    const rest = this.threads.length - 1;
    const at = rest === 0 || this.settings.isAwaited(label) ? 0 : 1 + (this.others++ % rest);
    return this.threads[at] as FunctionThread;
  }

  /** Whether no thread has anything to do before it gets an answer or a timer fires. */
  get isQuiet(): boolean {
    return this.threads.every((thread) => thread.isQuiet);
  }

  /** Waits until it is quiet. */
  quiet(): Promise<void> {
    if (this.isQuiet) return Promise.resolve();
    return new Promise((resolve) => this.restful.push(resolve));
  }

  /** Kills every environment: the account that they belong to is gone. */
  clear(): void {
    for (const thread of this.threads) thread.clear();
  }

  async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }
}

class FunctionThread {
  private worker: Worker;
  private readonly environments = new Map<number, RemoteEnvironment>();
  /** Sources that the thread has, by the names of their bundles. */
  private readonly sources = new Map<string, string>();
  /** Packages that the thread has. */
  private packages: SharedPackages | undefined;
  private outgoing: ToThread[] = [];
  private sent = 0;
  private done = 0;
  private stopped = false;

  constructor(
    private readonly settings: ThreadsSettings,
    private readonly rested: () => void,
  ) {
    this.worker = this.begin();
  }

  get isQuiet(): boolean {
    return this.done === this.sent;
  }

  start(message: ToEnvironment & { kind: 'start' }, bundle: Bundle, around: EnvironmentHost): RunningCode {
    const { name, source, packages, files } = bundle;
    const isKnown = this.sources.get(name) === source;
    this.sources.set(name, source);
    const environment = new RemoteEnvironment(message, around, {
      send: (sent) => this.send(sent),
      ends: () => this.end(message.environment, name),
    });
    this.environments.set(message.environment, environment);
    if (packages && packages !== this.packages) this.send({ kind: 'packages', source: packages.source });
    this.packages = packages ?? this.packages;
    const started = files === undefined ? message : { ...message, files };
    this.send(isKnown ? started : { ...started, source });
    return environment;
  }

  clear(): void {
    for (const environment of [...this.environments.values()]) environment.kill();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.worker.terminate();
  }

  /** Sends what is said in one go: messages between threads have a price. */
  private send(message: ToThread): void {
    this.sent++;
    this.outgoing.push(message);
    if (this.outgoing.length > 1) return;
    queueMicrotask(() => this.worker.postMessage(this.outgoing.splice(0)));
  }

  private begin(): Worker {
    const { clock, codeCache } = this.settings;
    const worker = startWorker({ clock: clock.buffer, codeCache });
    worker.on('message', ({ done, messages }: TurnMessage) => {
      // A replaced thread may have said something before it ended. Its counts are not those of the new one.
      if (worker !== this.worker) return;
      this.settings.around(() => {
        for (const message of messages) this.take(message);
      });
      this.done = done;
      if (this.isQuiet) this.rested();
    });
    worker.on('error', (error) => {
      if (worker === this.worker) this.replace(`a thread of functions ended: ${error.stack ?? error.message}`);
    });
    return worker;
  }

  /** No message of a function's code may end the process. */
  private take(message: FromThread): void {
    try {
      this.environments.get(message.environment)?.take(message);
    } catch (error) {
      this.settings.replaced(`the simulator failed, and continues: ${(error as Error).stack}`);
    }
  }

  private end(environment: number, name: string): void {
    this.environments.delete(environment);
    this.send({ kind: 'kill', environment });
    const until = this.sent;
    const { worker } = this;
    setTimeout(() => {
      if (this.done < until && worker === this.worker) this.replace(`${name} blocked its thread, which was replaced`);
    }, BLOCKED_AFTER).unref();
  }

  /** Replaces the thread. What its other environments did ends as in a crash. */
  private replace(line: string): void {
    if (this.stopped) return;
    this.settings.replaced(line);
    void this.worker.terminate();
    const lost = [...this.environments.values()];
    this.environments.clear();
    this.sources.clear();
    this.packages = undefined;
    this.outgoing = [];
    this.sent = 0;
    this.done = 0;
    this.worker = this.begin();
    this.settings.around(() => {
      for (const environment of lost) environment.crash();
    });
    this.rested();
  }
}

/** Starts the thread. In Orderly's repository its module is TypeScript; in the published package it is JavaScript. */
function startWorker(workerData: ThreadData): Worker {
  const options = { workerData, execArgv: [] };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./function-thread.js', import.meta.url), options);
  compiled ??= compile(fileURLToPath(new URL('./function-thread.ts', import.meta.url)));
  return new Worker(compiled, { ...options, eval: true });
}

let compiled: string | undefined;

/** Returns a module in JavaScript, with all that it imports. A loader of TypeScript in each thread would take 17 MB of memory. */
function compile(module: string): string {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: [module],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
