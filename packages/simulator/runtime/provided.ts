import { Script } from 'node:vm';
import { type BuiltinsOptions, createBuiltins } from './builtins.js';
import { createHttpModule, type Send } from './http.js';
import { createHttp2Module } from './http2.js';
import type { Compile } from './module-module.js';
import { CLOSING, ModuleCode, OPENING, type ProvidedGlobals, type Realm } from './realm.js';
import type { Timers } from './timers.js';
import { createWebGlobals } from './web.js';

/** Everything outside that code can use: the time, random numbers, the network, a log. */
export interface Externals extends Omit<BuiltinsOptions, 'http' | 'https' | 'http2' | 'performance' | 'compile'> {
  readonly timers: Pick<Timers, 'setTimeout' | 'setInterval' | 'setImmediate' | 'clear'>;
  readonly send: Send;
}

/** Returns the globals and the modules of Node through which code reaches what is outside. @param realm of the code */
export function provideGlobals(
  externals: Externals,
  realm: Realm,
): {
  readonly globals: ProvidedGlobals;
  readonly require: (name: string) => unknown;
} {
  const { timers, now, begun, random, work } = externals;
  const send: Send = (request, reply) => externals.send(request, reply);
  const [http, https] = ['http:', 'https:'].map((protocol) => createHttpModule(send, timers, protocol)) as [
    object,
    object,
  ];
  const http2 = () => createHttp2Module(send, timers);
  const performance = createPerformance(now, begun);
  const compile: Compile = (source, folder) =>
    new ModuleCode(realm, new Script(`${OPENING}${source}${CLOSING}`, { filename: `${folder}/index.js` })).load(
      globals,
      realm.clockAndNumbers({ now, random: () => random().fraction() }),
      require,
      folder,
    );
  const builtins = createBuiltins({ ...externals, http, https, http2, performance, compile });
  const { require, process, console, crypto } = builtins;
  const globals: ProvidedGlobals = {
    process,
    console,
    crypto,
    performance,
    setTimeout: timers.setTimeout,
    setInterval: timers.setInterval,
    setImmediate: timers.setImmediate,
    clearTimeout: timers.clear,
    clearInterval: timers.clear,
    clearImmediate: timers.clear,
    ...createWebGlobals({ send, random, setTimeout: timers.setTimeout, work, parse: realm.parse }),
  };
  return { globals, require };
}

const createPerformance = (now: () => number, begun: () => number): object => ({
  now: () => now() - begun(),
  get timeOrigin() {
    return begun();
  },
});
