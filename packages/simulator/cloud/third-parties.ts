import type { EventLoop } from '../engine/event-loop.js';
import { CALL_FAULTS, type FaultKind, type FaultPlan } from '../engine/faults.js';
import type { HttpRequest, HttpResponse, ResponseHandler } from '../runtime/http.js';
import type { PublicJwk } from '../services/cognito/jwt.js';
import type { Caller } from '../services/lambda/sandbox.js';
import type { OutsideHosts, ProviderFault, ThirdParty } from './outside-hosts.js';
import { pass } from './passage.js';
import { ProviderFaults } from './provider-faults.js';

/** Faults that make no sense outside of AWS's own operations. */
const OF_AWS: readonly FaultKind[] = ['conflict', 'entry-refused', 'refused-for-long'];
/** Faults of requests that change something. A read that is carried out late differs in no way from one that wasn't. */
const OF_WRITES: readonly FaultKind[] = ['late', 'very-late', 'killed-after', 'hung-after', 'answer-lost'];

/** Carries a request to a stub of a host that runs elsewhere. @param then gets the answer; `undefined` if there was none */
export type AnswerStub = (request: HttpRequest, then: (answer: HttpResponse | undefined) => void) => void;

/** A host that is known: how it answers, and what it says to too many requests. */
interface Known {
  readonly answer: AnswerStub;
  readonly refusal: () => HttpResponse;
  readonly faults?: ProviderFaults;
  /** Absent of hosts that the account itself has, as it has the addresses of its user pools. */
  readonly model?: ThirdParty;
}

/** Number of hosts whose callers are remembered. */
const REMEMBERED_HOSTS = 100;

/** Milliseconds of a slow answer: longer than the timeout of most clients and functions. */
const SLOW = 60_000;

const TOO_MANY: HttpResponse = { status: 429, headers: { 'content-type': 'text/plain' }, body: 'Too many requests' };

/** Carries functions' requests to services outside of AWS, with the faults that happen on the way. */
export class ThirdParties {
  private readonly byHost = new Map<string, Known>();
  private readonly ofAccount = new Map<string, Known>();
  /** Hosts that functions have called and that nobody has added: requests to them fail, as to a host that doesn't exist. */
  readonly unknownHosts = new Set<string>();
  /** Labels of the functions that have called each host: of the first hosts, since a customer may name any number of them. */
  readonly callers = new Map<string, Set<string>>();

  constructor(
    private readonly world: EventLoop,
    private readonly faults: FaultPlan,
    /** Called with what a person at a terminal should know. */
    private readonly log: (line: string) => void = () => undefined,
  ) {}

  /**
   * Puts a model in the place of a host.
   * @param host with its port where that isn't the usual one: `api.example.com`, `api.example.com:8443`
   * @example
   * cloud.thirdParties.add('cards.example.com', {
   *   answer: ({ body }) => ({ status: 200, headers: {}, body: JSON.stringify({ charged: JSON.parse(body).amount }) }),
   *   refuse: () => ({ status: 429, headers: {}, body: '' }),
   * });
   */
  add(host: string, model: ThirdParty): void {
    const answer: AnswerStub = (request, then) => then(model.answer(request));
    const faults = new ProviderFaults(model.faults ?? [], this.world.random.fork(`provider ${host}`));
    this.byHost.set(host, { answer, refusal: () => model.refuse(), faults, model });
  }

  /** Adds the models of a module. @see OutsideHosts */
  addAll(hosts: OutsideHosts): void {
    const models = typeof hosts === 'function' ? hosts() : hosts;
    for (const [host, model] of Object.entries(models)) this.add(host.toLowerCase(), model);
  }

  /** Adds a host of the account itself. */
  addOfAccount(host: string, answer: ThirdParty['answer']): void {
    this.ofAccount.set(host, {
      answer: (request, then) => then(answer(request)),
      refusal: () => TOO_MANY,
    });
  }

  /** Takes over the hosts that somebody has added to the account before, where this one doesn't know them. */
  takeOver({ byHost }: ThirdParties): void {
    for (const [host, { model }] of byHost) if (model && !this.byHost.has(host)) this.add(host, model);
  }

  /** Returns the model of a host. */
  find(host: string): ThirdParty | undefined {
    return this.byHost.get(host)?.model;
  }

  /** Whether a host has a model or a stub, or is one of the account. */
  has(host: string): boolean {
    return this.replaces(host) || this.ofAccount.has(host);
  }

  /** Whether somebody has put a model or a stub in the place of a host. */
  replaces(host: string): boolean {
    return this.byHost.has(host);
  }

  /** Lets the model or the stub of a host answer. @param then gets `undefined` if the connection breaks, or there is none */
  answer(http: HttpRequest, then: (answer: HttpResponse | undefined) => void): void {
    const known = this.knownFor(http);
    if (known) known.answer(http, then);
    else then(undefined);
  }

  /** The account answers at its own hosts, but an operation there (by `X-Amz-Target`) which the simulator doesn't model is for a model of the host. */
  private knownFor({ host, headers }: HttpRequest): Known | undefined {
    const own = headers['x-amz-target'] === undefined ? this.ofAccount.get(host) : undefined;
    return own ?? this.byHost.get(host);
  }

  /** Puts a stub that runs elsewhere in the place of a host: for a local cloud, as nothing outside of this process is a history. */
  addStub(host: string, answer: AnswerStub): void {
    this.byHost.set(host, { answer, refusal: () => TOO_MANY });
  }

  /**
   * Finds the keys of an issuer as a gateway does: by its discovery document. OpenID Connect Discovery 1.0, "Obtaining OpenID Provider
   * Configuration Information".
   * @param then gets `undefined` if nobody has added the issuer's host, or it doesn't answer so
   */
  findKeys(issuer: string, then: (keys: readonly PublicJwk[] | undefined) => void): void {
    this.readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, (document) => {
      if (typeof document?.jwks_uri !== 'string') return void then(undefined);
      this.readJson(document.jwks_uri, (set) => then(set?.keys as readonly PublicJwk[] | undefined));
    });
  }

  /** Reads an object in JSON at an address, on behalf of AWS. @param then gets `undefined` if there is none */
  private readJson(address: string, then: (found: Readonly<Record<string, unknown>> | undefined) => void): void {
    const { host, pathname } = URL.canParse(address) ? new URL(address) : { host: '', pathname: '' };
    const request = { method: 'GET', host, path: pathname, headers: {}, body: '' };
    const known = this.knownFor(request);
    if (!known) {
      this.log(`${address} is asked for its keys, and nobody has named its host: no token of it is believed`);
      return void this.world.after(0, () => then(undefined));
    }
    this.world.after(this.latency(), () =>
      known.answer(request, (answer) => then(answer && answer.status < 300 ? parseObject(answer.body) : undefined)),
    );
  }

  /** Carries a request out. A host that nobody has added can't be found, as Node says. */
  send(caller: Caller, http: HttpRequest, reply: ResponseHandler): void {
    const { world } = this;
    const { fn } = caller;
    const id = `${fn.label} call ${++fn.calls}`;
    this.remember(http.host, fn.label);
    const begun = world.now;
    const tell = (outcome: string, fault?: FaultKind): void =>
      world.tell(() => ({
        kind: 'call',
        owner: fn.label,
        id,
        target: http.host,
        outcome,
        ms: world.now - begun,
        ...(fault && { fault }),
      }));
    const known = this.knownFor(http);
    if (!known) {
      this.unknownHosts.add(http.host);
      tell('ENOTFOUND');
      world.note(`${id} ${http.method} ${http.host}${http.path} FAILS with ENOTFOUND: no model of this host was added`);
      this.log(
        `${fn.label} calls ${http.host}, which nobody has named: the request fails with ENOTFOUND. ` +
          `--outside ${http.host}=http://127.0.0.1:9000 names a stub`,
      );
      world.after(this.latency(), () => reply.fail('ENOTFOUND'));
      return;
    }
    const reads = http.method === 'GET';
    const kinds = CALL_FAULTS.filter((kind) => !OF_AWS.includes(kind) && !(reads && OF_WRITES.includes(kind)));
    const fault = this.faults.faultAt({ id, kinds });
    const given = known.faults?.next(http);
    const provider = fault ? undefined : given;
    const trouble = `${fault ? ` FAULT ${fault}` : ''}${provider ? ` PROVIDER ${provider.kind}` : ''}`;
    world.note(`${id} ${http.method} ${http.host}${http.path}${trouble}`);
    if (provider?.kind === 'refused') {
      tell('ECONNREFUSED');
      world.after(this.latency(), () => reply.fail('ECONNREFUSED'));
      return;
    }
    const isRefused = fault === 'refused' || provider?.kind === 'too-many';
    const refusal =
      provider?.kind === 'server-error' ? describeFailure(provider) : isRefused ? known.refusal() : undefined;
    if (refusal) tell(describeStatus(refusal), fault);
    pass(world, {
      id,
      caller,
      reply,
      fault,
      latency: () => this.latency(),
      refusal,
      carryOut: (then) =>
        known.answer(http, (answer) => {
          const answered = provider?.kind === 'server-error-after' ? describeFailure(provider) : answer;
          const sent = provider?.kind === 'answer-lost' ? undefined : answered;
          world.note(`${id} ${sent ? sent.status : 'no answer'}`);
          tell(sent ? describeStatus(sent) : 'no answer', fault);
          if (provider?.kind !== 'slow') then(sent);
          else world.after(provider.milliseconds ?? SLOW, () => then(sent), `${http.host}: a slow answer`);
        }),
    });
  }

  private remember(host: string, caller: string): void {
    const callers = this.callers.get(host);
    if (callers) callers.add(caller);
    else if (this.callers.size < REMEMBERED_HOSTS) this.callers.set(host, new Set([caller]));
  }

  /** Half of a request's time: most take 50 to 400 ms together, and one in fifty takes seconds. */
  private latency(): number {
    return this.world.latency((random) => (random.chance(0.02) ? random.between(500, 1_500) : random.between(25, 200)));
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Answer of a provider that has failed. */
const describeFailure = ({ status = 503 }: ProviderFault): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: 'Service unavailable',
});

/** Outcome of a call: `ok`, or the status that refuses it. */
const describeStatus = ({ status }: HttpResponse): string => (status < 400 ? 'ok' : `HTTP ${status}`);
