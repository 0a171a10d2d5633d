import type { EnvironmentHost, InvocationContext, InvocationEnding, RunningCode } from '../runtime/environment.js';
import type { FromThread, ToEnvironment } from './messages.js';

/** Messages of an environment to its thread. */
interface Says {
  send(message: ToEnvironment): void;
  ends(): void;
}

/** An environment that runs in another thread. */
export class RemoteEnvironment implements RunningCode {
  readonly isAsNew = false;
  private readonly timers = new Map<number, () => void>();
  private ended: ((ending: InvocationEnding) => void) | undefined;
  private dead = false;
  private readonly id: number;

  constructor(
    { environment }: ToEnvironment & { kind: 'start' },
    private readonly around: EnvironmentHost,
    private readonly thread: Says,
  ) {
    this.id = environment;
  }

  invoke(event: unknown, context: InvocationContext, ended: (ending: InvocationEnding) => void): void {
    this.ended = ended;
    this.thread.send({ kind: 'invoke', environment: this.id, event, context });
  }

  get isDead(): boolean {
    return this.dead;
  }

  kill(): void {
    if (this.dead) return;
    this.forget();
    this.thread.ends();
  }

  /** Its thread is gone. */
  crash(): void {
    const { ended } = this;
    this.forget();
    ended?.({ kind: 'threw', name: 'Runtime.ExitError', message: 'its thread was replaced' });
  }

  take(message: FromThread): void {
    const { around, id: environment } = this;
    switch (message.kind) {
      case 'call': {
        const { call } = message;
        around.send(message.request, {
          answer: (response) => this.say({ kind: 'answer', environment, call, response }),
          fail: (code) => this.say({ kind: 'fail', environment, call, code }),
        });
        return;
      }
      case 'log':
        around.log(message.level, message.line);
        return;
      case 'timer': {
        const { timer } = message;
        const cancel = around.after(message.delay, () => {
          this.timers.delete(timer);
          this.say({ kind: 'fire', environment, timer });
        });
        this.timers.set(timer, cancel);
        return;
      }
      case 'clear':
        this.timers.get(message.timer)?.();
        this.timers.delete(message.timer);
        return;
      case 'ended': {
        const { ended } = this;
        this.ended = undefined;
        ended?.(message.ending);
        if (this.dead) this.thread.ends();
        return;
      }
      case 'died': {
        // How its invocation ends comes behind.
        const { ended } = this;
        this.forget();
        this.ended = ended;
        around.onDeath(message.reason);
        if (!ended) this.thread.ends();
      }
    }
  }

  private say(message: ToEnvironment): void {
    if (!this.dead) this.thread.send(message);
  }

  private forget(): void {
    this.dead = true;
    this.ended = undefined;
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
  }
}
