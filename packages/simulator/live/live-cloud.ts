import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { readAssembly } from '../assembly/without-stacks.js';
import { AwsApi } from '../cloud/aws-api.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import type { OutsideHosts } from '../cloud/outside-hosts.js';
import type { ThirdParties } from '../cloud/third-parties.js';
import { type Fault, ownerOf } from '../engine/faults.js';
import { Happenings } from '../engine/happenings.js';
import type { HttpRequest, HttpResponse } from '../runtime/http.js';
import { setV8Flag } from '../runtime/v8-flags.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import type { NextWorkAt } from '../services/events/schedules.js';
import type { Invocation } from '../services/lambda/model.js';
import { RealTime } from './clock.js';
import { RequestedFaults } from './faults.js';
import { redeliver } from './sent-again.js';
import { restoreState, type SavedState, saveState } from './state.js';
import { Stubs } from './stubs.js';
import { Threads } from './threads.js';

/**
 * On AWS there can be a thousand environments of one function. Here they share a few cores, so that a busy one is free again
 * before another would be loaded, unless it waits for something. Each costs the time and the memory of a loaded bundle.
 */
const ENVIRONMENTS = { most: 2, patience: 1_000, spare: 10_000 };
/**
 * Percentage by which a heap grows between two full collections, with `smallHeaps`. By default V8 lets a heap grow to a multiple on
 * a machine with much memory, and a process with several heaps would take twice as much. With it, full collections take 3 % of a
 * function thread's time, and collections of young objects 9 %.
 */
const HEAP_GROWTH = 20;
/** While time is forwarded, a schedule that nobody knows more about ticks this seldom: each hour. */
const TICKS_APART = 3_600_000;
/**
 * The end of a longer forward is played with every tick, so that whoever looks at its last minutes sees all schedules at work. A
 * rule that ticks each five minutes ticks once.
 */
const LAST_MINUTES = 6 * 60_000;
/** A forward that is shorter hides no tick from who looks at the last ten minutes. */
const SHORT = 10 * 60_000;

export interface LiveOptions {
  /** Folder of the cloud assembly. */
  readonly folder: string;
  /** Makes the deployment of a cloud assembly. @default its functions run the bundles of the assembly */
  readonly deployment?: (folder: string) => Deployment;
  /** State that an earlier one kept: it continues from there. @default none */
  readonly state?: SavedState;
  /**
   * Number of records of the past that it remembers, of each kind: events, log lines, calls, messages that left their queue.
   * @default 10,000 events and log lines, and nothing that only invariants look at
   */
  readonly historyLimit?: number;
  /** Threads that run functions. @default one less than the machine's cores, from 2 to 4 */
  readonly threads?: number;
  /**
   * Folder for what V8 has compiled of the bundles. The next start with the same bundles compiles less.
   * @default nothing is kept
   */
  readonly codeCache?: string | undefined;
  /**
   * Whether V8 collects garbage more often, for less memory and more CPU. This applies to every heap of the process, and stays
   * after the cloud has stopped.
   * @default false
   */
  readonly smallHeaps?: boolean;
  /** Whether that which has no model and carries no message is left out. @default false: it is refused */
  readonly tolerant?: boolean;
  /** Names of stacks that are left out. @default none */
  readonly withoutStacks?: readonly string[];
  /** Tells when a scheduled rule finds work, so that time can be forwarded without ticks that find none. @default hourly ticks */
  readonly nextWorkAt?: (cloud: Cloud) => NextWorkAt;
  /**
   * Stubs of hosts outside of AWS that functions call: their addresses by the hosts, as in
   * `{ 'cards.example.com': 'http://127.0.0.1:9000' }`. A request to any other host fails with ENOTFOUND.
   * @default no host is known
   */
  readonly outside?: Readonly<Record<string, string>>;
  /**
   * Models of hosts outside of AWS, as code of this process. What `cloud.thirdParties.add` adds stays through resets and deployments too.
   * @default none
   */
  readonly outsideModels?: OutsideHosts | undefined;
  /** Called with what an operator of this cloud should know: faults that were made, threads that were replaced, calls that were denied. */
  readonly log?: (line: string) => void;
  /** Called when its clock was set: time was forwarded, or everything began again. @param ahead of the machine's, in milliseconds */
  readonly onClockSet?: (ahead: number) => void;
  /** Called with each invocation that has ended. */
  readonly onInvocationEnd?: (invocation: Invocation) => void;
}

/** A deployment that lives by the real clock: what `cdk deploy` makes of the assembly, in this process. */
export class LiveCloud {
  /** The newest happenings, and those who listen to them. */
  readonly happenings = new Happenings();
  private account: { readonly cloud: Cloud; readonly aws: AwsApi };
  /** Keys of KMS and all random numbers follow from it. */
  private readonly seed: string;
  private readonly clock = new RealTime((error) =>
    this.options.log?.(`the simulator failed, and continues: ${error.stack ?? error.message}`),
  );
  private readonly stubs = new Stubs({
    take: (answer) => this.clock.take(answer),
    log: (line) => this.options.log?.(line),
  });
  private readonly threads: Threads;
  private faults: RequestedFaults;
  /** Labels of the functions that answer requests to the APIs. */
  private awaited: ReadonlySet<string> = new Set();
  /** Tells those who wait for an answer that the account is gone. */
  private readonly waiting = new Set<() => void>();
  private stopped = false;

  constructor(private readonly options: LiveOptions) {
    const { log = () => undefined, threads, codeCache, smallHeaps = false } = options;
    const { state } = options;
    if (smallHeaps) setV8Flag('heap-growing-percent', HEAP_GROWTH);
    // First, since it may fail: threads that have begun would keep the process.
    const deployment = this.loadDeployment(options.folder);
    this.seed = state?.seed ?? randomUUID();
    this.threads = new Threads({
      clock: this.clock.shared,
      around: (take) => this.clock.take(take),
      replaced: log,
      codeCache,
      isAwaited: (label) => this.awaited.has(label),
      ...(threads !== undefined && { threads }),
    });
    this.faults = this.newFaults();
    try {
      this.account = this.begin(deployment, Math.max(Date.now(), state?.now ?? 0));
    } catch (error) {
      // A model may refuse what a template has, and threads that have begun would keep the process.
      void this.stop();
      throw error;
    }
    if (state) this.runInside((cloud) => restoreState(cloud, state));
  }

  get cloud(): Cloud {
    return this.account.cloud;
  }

  /** Milliseconds since 1970, by its own clock. */
  get now(): number {
    return this.clock.shared.now;
  }

  /** Faults that were asked for and are still to be made. */
  get pendingFaults(): RequestedFaults['pending'] {
    return this.faults.pending;
  }

  /** Sends a request to its API, or to one of several by its place among them. */
  request(request: ApiRequest, api = 0): Promise<ApiResponse> {
    const found = this.cloud.apis[api];
    if (!found) return Promise.reject(new Error(`there are ${this.cloud.apis.length} APIs, and no number ${api}`));
    return this.answered((answer) => this.clock.take(() => found.request(request, answer)));
  }

  /** Does something in the account at the current time, as a request from outside. */
  runInside<T>(something: (cloud: Cloud) => T): T {
    let result: { value: T } | undefined;
    this.clock.take(() => {
      result = { value: something(this.cloud) };
    });
    return (result as { value: T }).value;
  }

  /**
   * Lets time pass at once: everything that would happen in it happens, in order. Ticks of schedules that find nothing are left out,
   * but for the last minutes.
   * @param milliseconds from now on
   */
  async forward(milliseconds: number): Promise<void> {
    const { cloud } = this;
    const { schedules } = cloud.events;
    const { nextWorkAt } = this.options;
    if (nextWorkAt) schedules.nextWorkAt = nextWorkAt(cloud);
    else schedules.spacing = TICKS_APART;
    this.clock.take(() => schedules.replan());
    this.tellTime('forwards', milliseconds);
    const last = milliseconds > SHORT ? LAST_MINUTES : 0;
    const quiet = (): Promise<void> => this.quiet();
    const passed = (ms: number): void => this.tellTime('forwarding', ms);
    try {
      await this.clock.forward(milliseconds - last, quiet, passed);
      schedules.resume();
      if (last > 0 && this.cloud === cloud) await this.clock.forward(last, quiet);
    } finally {
      schedules.resume();
      this.tellTime('forwarded', milliseconds);
      if (!this.stopped) this.options.onClockSet?.(this.now - Date.now());
    }
  }

  /** Asks for faults. @see RequestedFaults.add */
  injectFault(...order: Parameters<RequestedFaults['add']>): void {
    this.faults.add(...order);
  }

  /** Withdraws the faults that are still to be made: all, or those of one owner and kind. */
  clearFaults(which?: Parameters<RequestedFaults['clear']>[0]): void {
    this.faults.clear(which);
  }

  /** Answers a request in one of the protocols of AWS. */
  handleAwsRequest(request: HttpRequest): Promise<HttpResponse> {
    return this.answered((answer, fail) => {
      this.runInside(() => this.account.aws.answer(request)).then(answer, fail);
    });
  }

  /** Delivers an event again, to every subscriber. @see redeliver */
  redeliver(id: string): string {
    return this.runInside((cloud) => redeliver(cloud, id));
  }

  /** Begins again: every table, queue and bucket is empty, and the clock shows the real time. */
  reset(): void {
    const { deployment } = this.cloud;
    this.end();
    this.faults = this.newFaults();
    const { thirdParties } = this.cloud;
    this.account = this.begin(deployment, Date.now());
    this.cloud.thirdParties.takeOver(thirdParties);
    this.tellTime('reset');
    this.options.onClockSet?.(0);
  }

  /** Returns all that it remembers, for a later {@link LiveOptions.state}. */
  save(): SavedState {
    return this.runInside((cloud) => saveState(cloud, this.seed));
  }

  /**
   * Puts another assembly in the place of the present one, as a deployment does: tables, queues and buckets of the same
   * name keep what is in them.
   * @returns names of tables and queues that are gone with what was in them
   */
  deploy(folder: string): readonly string[] {
    const deployment = this.loadDeployment(folder);
    const state = this.save();
    this.end();
    const { thirdParties } = this.cloud;
    this.account = this.begin(deployment, state.now, thirdParties);
    this.tellTime('deployed');
    return this.runInside((cloud) => restoreState(cloud, state));
  }

  /**
   * Puts new code in the place of a function's present one.
   * @param label path of the function's construct @param source of its bundle
   */
  replaceCode(label: string, source: string): void {
    this.runInside((cloud) => {
      cloud.deployment.replace(label, source);
      cloud.fn(label).retire();
    });
  }

  /** Returns the source that a function has now. @param label path of its construct */
  readCode(label: string): string {
    const { deployment } = this.cloud;
    return deployment.loadBundle(this.cloud.fn(label).resource).source;
  }

  /** Returns the asset of each function's code, by its name in the assembly, and the function's label. */
  listCodes(): readonly (readonly [label: string, asset: string])[] {
    const { assembly } = this.cloud.deployment;
    return [...this.cloud.functions.values()].map(({ label, resource }) => [
      label,
      basename(assembly.assetFolder(resource.properties.Code)).replace(/^asset\./, ''),
    ]);
  }

  /** Ends its threads and its clock. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.clock.stop();
    await this.threads.stop();
  }

  /** Waits until functions run no code and wait for no stub. */
  private async quiet(): Promise<void> {
    await this.threads.quiet();
    while (this.stubs.isAsked) {
      await this.stubs.answered();
      await this.threads.quiet();
    }
  }

  private loadDeployment(folder: string): Deployment {
    const { tolerant = false, withoutStacks } = this.options;
    const obstacles = tolerant ? 'ignored' : 'refused';
    const {
      deployment = (folder: string) =>
        new Deployment(readAssembly(folder, withoutStacks), undefined, undefined, { obstacles }),
    } = this.options;
    return deployment(folder);
  }

  /** @param before hosts outside of AWS of the account before, whose models remember what they know. @default models begin again */
  private begin(deployment: Deployment, begins: number, before?: ThirdParties): LiveCloud['account'] {
    const { historyLimit, onInvocationEnd = () => undefined } = this.options;
    const log = onceEach((line) => this.options.log?.(line));
    const { happenings } = this;
    const live = {
      begins,
      historyLimit,
      happenings,
      host: this.threads,
      environments: ENVIRONMENTS,
      onInvocationEnd,
      log,
    };
    const cloud = new Cloud(deployment, { seed: this.seed, faults: this.faults, ttlLag: 0, live });
    for (const [host, address] of Object.entries(this.options.outside ?? {}))
      cloud.thirdParties.addStub(host, this.stubs.at(host, address));
    if (before) cloud.thirdParties.takeOver(before);
    else cloud.thirdParties.addAll(this.options.outsideModels ?? {});
    const arns = cloud.apis.flatMap((api) => [...api.functionArns]);
    this.awaited = new Set(arns.flatMap((arn) => cloud.functions.get(arn)?.label ?? []));
    const aws = new AwsApi(cloud, { unknown: (line) => this.options.log?.(`not served: ${line}`) });
    this.clock.run(cloud.world);
    return { cloud, aws };
  }

  /** Ends the present account: what its functions do from now on has no effect, and who waits for an answer gets an error. */
  private end(): void {
    this.threads.clear();
    for (const gone of this.waiting) gone();
  }

  /** Waits for an answer, or for the end of the present account. */
  private answered<Response>(
    ask: (answer: (response: Response | typeof GONE) => void, fail: (error: unknown) => void) => void,
  ): Promise<Response | typeof GONE> {
    let gone = (): void => undefined;
    return new Promise<Response | typeof GONE>((resolve, reject) => {
      gone = () => resolve(GONE);
      this.waiting.add(gone);
      ask(resolve, reject);
    }).finally(() => this.waiting.delete(gone));
  }

  private newFaults(): RequestedFaults {
    const now = (): number => this.now;
    return new RequestedFaults(now, ({ point, kind }: Fault) => {
      this.happenings.add(this.now, { kind: 'fault', owner: ownerOf(point), id: point, fault: kind });
      this.options.log?.(`fault ${kind} at ${point}`);
    });
  }

  private tellTime(outcome: string, ms?: number): void {
    this.happenings.add(this.now, {
      kind: 'time',
      owner: 'clock',
      id: 'clock',
      outcome,
      ...(ms !== undefined && { ms }),
    });
  }
}

/** Answer to requests whose account was replaced before it came. */
const GONE: ApiResponse = {
  status: 503,
  headers: { 'content-type': 'application/json', 'retry-after': '1' },
  body: '{"message":"The account was replaced (deployment or reset): ask again"}',
};

/** Says each line once: a function that is retried would say it for ever. */
function onceEach(log: (line: string) => void): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (said.has(line)) return;
    said.add(line);
    log(line);
  };
}
