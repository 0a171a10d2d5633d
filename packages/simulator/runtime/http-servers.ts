import { EventEmitter } from 'node:events';
import * as http from 'node:http';
import { Readable } from 'node:stream';

/** Answer to a request of code. */
export abstract class Answer extends Readable {}

/** A constructor that old code calls as a function, as Node's own ones can be. */
function derive(parent: unknown, more: (made: object) => void): object {
  const construct = parent as (...args: unknown[]) => void;
  function Derived(this: object, ...args: unknown[]): void {
    construct.apply(this, args);
    more(this);
  }
  Derived.prototype = Object.create(construct.prototype, {
    constructor: { value: Derived, writable: true, configurable: true },
  });
  return Derived;
}

/**
 * A message of Node's own: web frameworks make one of an event of API Gateway. Answers to requests of the code are messages, too.
 */
const AnyMessage = derive(http.IncomingMessage, () => undefined);
const isOrdinary = Function.prototype[Symbol.hasInstance];
Object.defineProperty(AnyMessage, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return isOrdinary.call(this, value) || (this === AnyMessage && value instanceof Answer);
  },
});

/** A response without a `Date`, which would be that of this machine: API Gateway writes its own. */
const ServerResponse = derive(http.ServerResponse, (made) => Object.assign(made, { sendDate: false }));

/** A server to which nobody can connect: adapters of web frameworks make one, and hand it requests by themselves. */
export class UnheardServer extends EventEmitter {
  readonly listening = false;
  timeout = 0;
  requestTimeout = 0;
  headersTimeout = 0;
  keepAliveTimeout = 0;
  maxRequestsPerSocket = 0;

  constructor(...args: readonly unknown[]) {
    super();
    const onRequest = args.find((one) => typeof one === 'function');
    if (onRequest) this.on('request', onRequest as () => void);
  }

  listen(): never {
    throw new Error('a server inside of a function is not simulated: nobody could connect to it');
  }

  setTimeout(): this {
    return this;
  }

  address(): null {
    return null;
  }

  close(done?: (error?: Error) => void): this {
    if (done) process.nextTick(done);
    return this;
  }

  closeAllConnections(): void {}
  closeIdleConnections(): void {}
  ref(): void {}
  unref(): void {}
}

/** Parts of a server that work without a connection, in the adapters of web frameworks. */
export const OF_SERVERS = {
  IncomingMessage: AnyMessage,
  OutgoingMessage: http.OutgoingMessage,
  ServerResponse,
  validateHeaderName: http.validateHeaderName,
  validateHeaderValue: http.validateHeaderValue,
};
