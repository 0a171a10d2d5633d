import { type BuiltinsOptions, builtins } from './builtins.js';
import { type HttpRequest, httpModule, type Reply } from './http.js';
import type { ProvidedGlobals } from './realm.js';
import type { Timers } from './timers.js';

/** Everything outside that code can use: the time, random numbers, the network, a log. */
export interface Outside extends Omit<BuiltinsOptions, 'http'> {
  readonly timers: Pick<Timers, 'setTimeout' | 'setInterval' | 'setImmediate' | 'clear'>;
  send(request: HttpRequest, reply: Reply): void;
}

/** Returns the globals and the modules of Node through which code reaches what is outside. */
export function providedBy(outside: Outside): {
  readonly globals: ProvidedGlobals;
  readonly require: (name: string) => unknown;
} {
  const { timers, now, begun } = outside;
  const http = httpModule((request, reply) => outside.send(request, reply), timers);
  const { require, process, console, crypto } = builtins({ ...outside, http });
  const globals = {
    process,
    console,
    crypto,
    performance: performanceOf(now, begun),
    setTimeout: timers.setTimeout,
    setInterval: timers.setInterval,
    setImmediate: timers.setImmediate,
    clearTimeout: timers.clear,
    clearInterval: timers.clear,
    clearImmediate: timers.clear,
  };
  return { globals, require };
}

const performanceOf = (now: () => number, begun: () => number): object => ({
  now: () => now() - begun(),
  get timeOrigin() {
    return begun();
  },
});
