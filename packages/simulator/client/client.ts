import type { Cloud } from '../cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import { type SimulatedIssuer, simulatedIssuer } from './issuer.js';

/** An answer with its body parsed; `{}` if it has none. */
export interface Reply {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly body: Record<string, unknown>;
}

/** A call that came to an end for its client, with the number of its tries. */
export type AnsweredCall<Call> = Call & { readonly reply: Reply; readonly tries: number };

export interface ClientOptions<Call> {
  /** Makes the request of a call. It is made again for each try, so that a token is never too old. `now` is virtual. */
  readonly request: (call: Call, now: number) => ApiRequest;
  /** Describes a call in the trace. */
  readonly describe: (call: Call) => string;
  /** Tells whether a client need not ask again. @default neither 429, nor 5xx, nor with `Retry-After` */
  readonly isFinal?: (reply: Reply) => boolean;
}

/** The number of tries is limited, so that a history ends although a service never recovers. */
const MAX_ATTEMPTS = 40;
/** The pauses grow up to this, which is longer than any fault that heals by itself within a day. */
const MAX_BACKOFF_MS = 3_600_000;

/** A well-behaved client of the API of a simulated cloud: it sends a request again until the answer is final. */
export class ApiClient<Call extends object> {
  /** Calls with a final answer, in the order of their ends. */
  readonly answered: AnsweredCall<Call>[] = [];
  /** Calls that the client gave up. */
  readonly unanswered: Call[] = [];

  constructor(
    readonly cloud: Cloud,
    private readonly options: ClientOptions<Call>,
  ) {}

  /** Sends one request at once. `done` gets its answer, whatever it is. */
  send(call: Call, done: (reply: Reply) => void): void {
    const { world, apis } = this.cloud;
    const request = this.options.request(call, world.now);
    const name = this.options.describe(call);
    world.note(name);
    apis[0]?.request(request, ({ status, headers, body: text }) => {
      world.note(`${name} -> ${status}${status >= 400 ? ` ${text}` : ''}`);
      done({ status, headers, body: text === '' ? {} : JSON.parse(text) });
    });
  }

  /** Sends a call until its answer is final, with growing pauses. */
  begin(call: Call, done: (answered: AnsweredCall<Call>) => void = () => undefined): void {
    const { isFinal = finalByStatus } = this.options;
    const attempt = (tries: number): void =>
      this.send(call, (reply) => {
        if (!isFinal(reply) && tries < MAX_ATTEMPTS) {
          const pause = Math.min(MAX_BACKOFF_MS, 250 * 2 ** Math.min(tries, 14));
          this.cloud.world.after(pause, () => attempt(tries + 1), 'a client asks again');
        } else if (isFinal(reply)) {
          const answered = { ...call, reply, tries };
          this.answered.push(answered);
          done(answered);
        } else this.unanswered.push(call);
      });
    attempt(1);
  }

  /** Like `begin`, and lets the world go on until the answer is there. @throws {Error} if the client gave up */
  async call(call: Call): Promise<AnsweredCall<Call>> {
    let result: AnsweredCall<Call> | undefined;
    this.begin(call, (answered) => {
      result = answered;
    });
    await this.cloud.world.until(() => result !== undefined || this.unanswered.includes(call));
    if (!result) throw new Error(`no final answer to ${this.options.describe(call)}`);
    return result;
  }
}

/** A call of a JSON API. */
export interface JsonCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the stage, for example `/tickets`. */
  readonly path: string;
  readonly body?: object;
  /** Further headers, for example `Idempotency-Key`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates a client of a JSON API.
 * @param claims claims of its tokens: `sub`, and the claims that the API asks for, as `role`
 * @param issuer issues a new token for each try
 * @example
 * const visitor = jsonClient(cloud, { sub: 'vera', role: 'visitor' });
 * await visitor.call({ method: 'POST', path: '/tickets', body: { title }, headers: { 'Idempotency-Key': key } });
 */
export const jsonClient = (
  cloud: Cloud,
  claims: Readonly<Record<string, string>>,
  issuer: SimulatedIssuer = simulatedIssuer,
): ApiClient<JsonCall> =>
  new ApiClient<JsonCall>(cloud, {
    describe: ({ method, path, headers = {} }) => `client ${method} ${path} ${Object.values(headers).join(' ')}`.trim(),
    request: ({ method, path, body, headers }, now) => ({
      method,
      path,
      headers: { Authorization: `Bearer ${issuer.token(claims, now)}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  });

function finalByStatus({ status, headers }: Reply): boolean {
  return status < 500 && status !== 429 && !Object.keys(headers).some((name) => name.toLowerCase() === 'retry-after');
}
