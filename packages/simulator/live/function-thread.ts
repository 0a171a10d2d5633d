/** The thread in which functions of a live account run. It knows environments only: every call leaves it as a message. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Bundle } from '../runtime/bundle.js';
import { Environment, type Surroundings } from '../runtime/environment.js';
import type { Reply } from '../runtime/http.js';
import { Random } from '../world/random.js';
import { CodeCache } from './code-cache.js';
import { type FromThread, SharedClock, type ThreadData, type ToThread } from './messages.js';

/** Environments of one thread, and what they have to tell. */
class FunctionThread {
  private readonly environments = new Map<number, RunningEnvironment>();
  private readonly bundles = new Map<string, Bundle>();
  private told: FromThread[] = [];
  private done = 0;
  private flushes = false;

  constructor(
    private readonly port: MessagePort,
    private readonly clock: SharedClock,
    private readonly cache: CodeCache | undefined,
  ) {
    port.on('message', (messages: readonly ToThread[]) => {
      for (const message of messages) this.take(message);
    });
  }

  private take(message: ToThread): void {
    this.done++;
    this.tellSoon();
    if (message.kind === 'start') {
      const environment = new RunningEnvironment(message, this.bundleOf(message), this.clock, (told) => {
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
  private bundleOf({ name, source }: ToThread & { kind: 'start' }): Bundle {
    const known = this.bundles.get(name);
    if (source === undefined && known) return known;
    if (source === undefined) throw new Error(`the source of ${name} is missing`);
    const same = [...this.bundles.values()].find((bundle) => bundle.source === source);
    const bundle = same ?? this.cache?.bundle(name, source) ?? new Bundle(name, source);
    this.bundles.set(name, bundle);
    return bundle;
  }

  /** Tells everything of a turn at once: after code has run as far as it can without an answer. */
  private tellSoon(): void {
    if (this.flushes) return;
    this.flushes = true;
    setImmediate(() => {
      this.flushes = false;
      this.port.postMessage({ done: this.done, messages: this.told });
      this.told = [];
    });
  }
}

/** One environment, whose surroundings are messages. */
class RunningEnvironment {
  private readonly environment: Environment;
  private readonly replies = new Map<number, Reply>();
  private readonly timers = new Map<number, () => void>();
  private calls = 0;
  private timersSet = 0;
  private unloadable: Error | undefined;

  constructor(
    { environment: id, variables, handler, seed, begun }: ToThread & { kind: 'start' },
    bundle: Bundle,
    clock: SharedClock,
    private readonly tell: (message: FromThread) => void,
  ) {
    const around: Surroundings = {
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
    };
    this.environment = new Environment(bundle, variables, around);
    try {
      this.environment.init(handler);
    } catch (error) {
      this.unloadable = error as Error;
    }
  }

  take(message: Exclude<ToThread, { kind: 'start' }>): void {
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

  private invoke({ environment, event, context }: ToThread & { kind: 'invoke' }): void {
    if (this.unloadable) {
      const { name, message, stack = message } = this.unloadable;
      this.tell({ kind: 'log', environment, level: 'error', line: stack });
      this.tell({ kind: 'ended', environment, ending: { kind: 'threw', name, message } });
      return;
    }
    this.environment.invoke(event, context, (ending) => this.tell({ kind: 'ended', environment, ending }));
  }

  private replyTo(call: number): Reply | undefined {
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
