/** The thread in which functions of a live account run. It knows environments only: every call leaves it as a message. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Random } from '../engine/random.js';
import { turnEnds } from '../engine/turn.js';
import { Bundle } from '../runtime/bundle.js';
import { Environment, type EnvironmentHost } from '../runtime/environment.js';
import type { ResponseHandler } from '../runtime/http.js';
import { SharedPackages } from '../runtime/shared-packages.js';
import { CodeCache } from './code-cache.js';
import { type FromThread, SharedClock, type ThreadData, type ToEnvironment, type ToThread } from './messages.js';

/** Environments of one thread, and what they have to tell. */
class FunctionThread {
  private readonly environments = new Map<number, RunningEnvironment>();
  private readonly bundles = new Map<string, Bundle>();
  private packages: SharedPackages | undefined;
  private readonly untaken: ToThread[] = [];
  private isTaking = false;
  private told: FromThread[] = [];
  private done = 0;
  private flushes = false;

  constructor(
    private readonly port: MessagePort,
    private readonly clock: SharedClock,
    private readonly cache: CodeCache | undefined,
  ) {
    port.on('message', (messages: readonly ToThread[]) => {
      this.untaken.push(...messages);
      if (!this.isTaking) void this.takeAll();
    });
  }

  /** Takes what has come. Only one environment's code is under way at a time: what nobody catches in a turn is a fault of this code. */
  private async takeAll(): Promise<void> {
    this.isTaking = true;
    for (let message = this.untaken.shift(); message; message = this.untaken.shift()) {
      this.take(message);
      await turnEnds();
      this.done++;
      this.flush();
    }
    this.isTaking = false;
  }

  private take(message: ToThread): void {
    if (message.kind === 'packages') {
      this.packages = new SharedPackages(message.source);
      return;
    }
    if (message.kind === 'start') {
      const environment = new RunningEnvironment(message, this.loadBundle(message), this.clock, (told) => {
        this.told.push(told);
        this.tellSoon();
      });
      this.environments.set(message.environment, environment);
      return;
    }
    this.environments.get(message.environment)?.take(message);
    if (message.kind === 'kill') this.environments.delete(message.environment);
  }

  /** A bundle is compiled once for all environments that run the same source, also those of different functions. */
  private loadBundle({ name, source, shares }: ToEnvironment & { kind: 'start' }): Bundle {
    const known = this.bundles.get(name);
    if (source === undefined && known) return known;
    if (source === undefined) throw new Error(`the source of ${name} is missing`);
    const same = [...this.bundles.values()].find((bundle) => bundle.source === source);
    const bundle = same ?? this.newBundle(name, source, shares);
    this.bundles.set(name, bundle);
    return bundle;
  }

  private newBundle(name: string, source: string, shares: boolean): Bundle {
    if (shares) return new Bundle(name, source, { packages: this.packages });
    return this.cache?.bundle(name, source) ?? new Bundle(name, source);
  }

  /** Tells everything of a turn at once: after code has run as far as it can without an answer. */
  private tellSoon(): void {
    if (this.isTaking || this.flushes) return;
    this.flushes = true;
    setImmediate(() => {
      this.flushes = false;
      this.flush();
    });
  }

  private flush(): void {
    this.port.postMessage({ done: this.done, messages: this.told });
    this.told = [];
  }
}

/** One environment, whose surroundings are messages. */
class RunningEnvironment {
  private readonly environment: Environment;
  private readonly replies = new Map<number, ResponseHandler>();
  private readonly timers = new Map<number, () => void>();
  private calls = 0;
  private timersSet = 0;
  private unloadable: Error | undefined;

  constructor(
    { environment: id, variables, handler, seed, begun, files }: ToEnvironment & { kind: 'start' },
    bundle: Bundle,
    clock: SharedClock,
    private readonly tell: (message: FromThread) => void,
  ) {
    const around: EnvironmentHost = {
      now: () => clock.now,
      begun,
      after: (delay, run) => {
        const timer = ++this.timersSet;
        this.timers.set(timer, run);
        tell({ kind: 'timer', environment: id, timer, delay });
        return () => {
          if (this.timers.delete(timer)) tell({ kind: 'clear', environment: id, timer });
        };
      },
      enter: () => undefined,
      random: new Random(seed),
      send: (request, reply) => {
        const call = ++this.calls;
        this.replies.set(call, reply);
        tell({ kind: 'call', environment: id, call, request });
      },
      log: (level, line) => tell({ kind: 'log', environment: id, level, line }),
      onDeath: (reason) => tell({ kind: 'died', environment: id, reason }),
      isReal: true,
    };
    this.environment = new Environment(bundle, variables, around, files);
    try {
      this.environment.init(handler);
    } catch (error) {
      this.unloadable = error as Error;
    }
  }

  take(message: Exclude<ToEnvironment, { kind: 'start' }>): void {
    switch (message.kind) {
      case 'invoke':
        this.invoke(message);
        return;
      case 'answer':
        this.replyTo(message.call)?.answer(message.response);
        return;
      case 'fail':
        this.replyTo(message.call)?.fail(message.code);
        return;
      case 'fire': {
        const run = this.timers.get(message.timer);
        this.timers.delete(message.timer);
        run?.();
        return;
      }
      case 'kill':
        this.environment.kill();
    }
  }

  private invoke({ environment, event, context }: ToEnvironment & { kind: 'invoke' }): void {
    if (this.unloadable) {
      const { name, message, stack = message } = this.unloadable;
      this.tell({ kind: 'log', environment, level: 'error', line: stack });
      this.tell({ kind: 'ended', environment, ending: { kind: 'threw', name, message } });
      return;
    }
    this.environment.invoke(event, context, (ending) => this.tell({ kind: 'ended', environment, ending }));
  }

  private replyTo(call: number): ResponseHandler | undefined {
    const reply = this.replies.get(call);
    this.replies.delete(call);
    return reply;
  }
}

if (parentPort) {
  const { clock, codeCache } = workerData as ThreadData;
  new FunctionThread(
    parentPort,
    new SharedClock(clock),
    codeCache === undefined ? undefined : new CodeCache(codeCache),
  );
}
