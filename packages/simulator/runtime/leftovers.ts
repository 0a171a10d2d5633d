import asyncHooks from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';

/** Changes that the code of one environment has made to Node itself, and that would outlive the environment. */
export class Leftovers {
  private readonly undo: (() => void)[] = [];
  private readonly hooks = new Set<asyncHooks.AsyncHook>();

  /** @param fails called with what a hook throws, which nothing in the code can catch */
  constructor(readonly fails: (error: unknown) => void) {}

  /** Whether hooks are enabled: Node calls them for all promises of the process. */
  get hasHooks(): boolean {
    return this.hooks.size > 0;
  }

  /** @param undo called at the end of the environment */
  add(undo: () => void): void {
    this.undo.push(undo);
  }

  enable(hook: asyncHooks.AsyncHook): void {
    this.hooks.add(hook);
    hook.enable();
  }

  disable(hook: asyncHooks.AsyncHook): void {
    this.hooks.delete(hook);
    hook.disable();
  }

  remove(): void {
    for (const hook of this.hooks) this.disable(hook);
    for (const undo of this.undo.splice(0)) undo();
  }
}

/**
 * Returns the module `async_hooks` of one environment. Node calls an enabled hook at each promise of the whole process, and carries a store
 * that was used along with each, so both end with their environment.
 */
export function createAsyncHooks(leftovers: Leftovers): object {
  class AsyncLocalStorage extends asyncHooks.AsyncLocalStorage<unknown> {
    constructor(...options: ConstructorParameters<typeof asyncHooks.AsyncLocalStorage>) {
      super(...options);
      leftovers.add(() => this.disable());
    }
  }
  const createHook = (callbacks: Readonly<Record<string, unknown>>): object => {
    const hook = asyncHooks.createHook(guarded(callbacks, leftovers.fails));
    const shown = {
      enable: () => {
        leftovers.enable(hook);
        return shown;
      },
      disable: () => {
        leftovers.disable(hook);
        return shown;
      },
    };
    return shown;
  };
  return { ...asyncHooks, AsyncLocalStorage, createHook };
}

/** Guards callbacks of a hook: Node would exit at once if one throws. Here the hook is called no more, and its environment ends. */
function guarded(callbacks: Readonly<Record<string, unknown>>, fails: (error: unknown) => void): object {
  let hasFailed = false;
  const guard =
    (callback: (...args: unknown[]) => void) =>
    (...args: unknown[]): void => {
      if (hasFailed) return;
      try {
        callback(...args);
      } catch (error) {
        hasFailed = true;
        fails(error);
      }
    };
  return Object.fromEntries(
    Object.entries(callbacks).map(([name, callback]) => [
      name,
      typeof callback === 'function' ? guard(callback as Parameters<typeof guard>[0]) : callback,
    ]),
  );
}

/**
 * Returns the module `diagnostics_channel` of one environment: its channels are its own, and its subscribers end with it. Node has one
 * channel for each name in a process, so that behind each channel there is one whose name is a symbol.
 */
export function createDiagnosticsChannel(leftovers: Leftovers): object {
  const channels = new Map<string | symbol, { readonly shown: object; readonly real: diagnostics.Channel }>();
  const find = (name: string | symbol) => {
    const known = channels.get(name);
    if (known) return known;
    const real = diagnostics.channel(Symbol(String(name)));
    const shown = Object.assign(Object.create(real, { name: { value: name } }), {
      subscribe: (onMessage: diagnostics.ChannelListener) => {
        real.subscribe(onMessage);
        leftovers.add(() => real.unsubscribe(onMessage));
      },
      unsubscribe: (onMessage: diagnostics.ChannelListener) => real.unsubscribe(onMessage),
      bindStore: (store: asyncHooks.AsyncLocalStorage<unknown>, transform?: (message: unknown) => unknown) => {
        real.bindStore(store, transform as never);
        leftovers.add(() => real.unbindStore(store));
      },
      unbindStore: (store: asyncHooks.AsyncLocalStorage<unknown>) => real.unbindStore(store),
    });
    const made = { shown, real };
    channels.set(name, made);
    return made;
  };
  const channel = (name: string | symbol) => find(name).shown as diagnostics.Channel;
  const realOf = (shown: unknown): unknown => [...channels.values()].find((one) => one.shown === shown)?.real ?? shown;
  return {
    ...diagnostics,
    channel,
    hasSubscribers: (name: string | symbol) => channel(name).hasSubscribers,
    subscribe: (name: string | symbol, onMessage: diagnostics.ChannelListener) => channel(name).subscribe(onMessage),
    unsubscribe: (name: string | symbol, onMessage: diagnostics.ChannelListener) =>
      channel(name).unsubscribe(onMessage),
    tracingChannel: (of: string | object) => {
      const parts = PARTS.map((part): [string, unknown] => [
        part,
        typeof of === 'string' ? channel(`tracing:${of}:${part}`) : of[part as keyof typeof of],
      ]);
      // Node takes its own channels only.
      const ofReal = Object.fromEntries(parts.map(([part, shown]) => [part, realOf(shown)]));
      const shown = parts.map(([part, value]) => [part, { value, enumerable: true }]);
      return Object.create(diagnostics.tracingChannel(ofReal as never), Object.fromEntries(shown));
    },
  };
}

/** Channels of a tracing channel. */
const PARTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
