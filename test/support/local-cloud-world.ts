import { LocalCloud } from '@orderly/simulator';
import { localAssembly } from '../../tools/local/assembly.js';
import { dueRecords } from '../../tools/local/awaits.js';
import { readDeployment } from '../../tools/local/deploy.js';
import { findEndpoint } from '../../tools/local/endpoint.js';
import { orderlyPage } from '../../tools/local/page.js';
import type * as Port from '../acceptance/world.js';
import type { Deployed } from './deployed.js';
import { FaultsByHand } from './faults-by-hand.js';
import { LocalStackWorld } from './localstack-world.js';

let shared: Promise<LocalCloud> | undefined;

/** How long a condition may take to come about, milliseconds of the cloud's clock. */
const LIMIT = 30 * 60_000;
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 5_000;

/**
 * Orderly in a local cloud: everything goes over HTTP as to an emulator. Faults are made by the cloud, and while a scenario
 * waits, its time is forwarded.
 */
export class LocalCloudWorld extends LocalStackWorld {
  override readonly makesFaults = true;
  override readonly passesDays = true;
  override readonly takesTime = false;
  private readonly faultsHere: FaultsByHand;
  private passing: Promise<void> | undefined;

  private constructor(
    deployed: Deployed,
    private readonly local: LocalCloud,
  ) {
    super(deployed);
    this.faultsHere = new FaultsByHand((name) => this.functions.calledInScenarios(name));
    local.live.cloud.calls.interceptor = this.faultsHere;
  }

  /** Begins a world with nothing in it. All files of this process have one cloud, which begins again for each. */
  static async begin(): Promise<LocalCloudWorld> {
    shared ??= localAssembly().then((folder) =>
      LocalCloud.start({ folder, log: () => undefined, nextWorkAt: dueRecords, page: orderlyPage() }),
    );
    const local = await shared;
    local.live.reset();
    const endpoint = await findEndpoint(local.url);
    const { apiUrl, outputs } = await readDeployment(endpoint);
    const { region } = endpoint;
    return new LocalCloudWorld({ endpoint: local.url, region, apiUrl, outputs, proxyUrl: undefined }, local);
  }

  /** Address of the cloud. */
  get url(): string {
    return this.local.url;
  }

  /** Address of the cloud's page, with its token. */
  get pageUrl(): string {
    return this.local.pageUrl;
  }

  protected override now(): number {
    return this.local?.live.now ?? Date.now();
  }

  override async crash(
    fn: Port.FunctionName,
    when: 'beforeWrite' | 'afterWrite',
    options: Port.FaultOptions,
  ): Promise<void> {
    this.faultsHere.crash(this.functions.findPhysicalName(fn), when, options);
  }

  override async loseAnswer(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    this.faultsHere.loseAnswer(this.functions.findPhysicalName(fn), operation, options);
  }

  override async throttle(fn: Port.FunctionName, operation: string, options: Port.FaultOptions): Promise<void> {
    this.faultsHere.throttle(this.functions.findPhysicalName(fn), operation, options);
  }

  override async failEntries(match: Port.EntryMatch, options: { errorCode: string; times: number }): Promise<void> {
    this.faultsHere.plan.add({ kind: 'fail-entries', match, ...options });
  }

  override async heal(): Promise<void> {
    const unmet = this.refuseUnmet();
    this.faultsHere.plan.clear();
    await unmet;
  }

  override async eventually<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    const end = this.now() + LIMIT;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE)) {
      try {
        return await attempt();
      } catch (error) {
        if (this.now() >= end) throw new Error(`not within ${LIMIT / 60_000} minutes: ${what}`, { cause: error });
      }
      await this.forward(Math.round(pause));
    }
  }

  override pass(seconds: number): Promise<void> {
    return this.forward(seconds * 1000);
  }

  override async callsDuring(work: () => Promise<unknown>): Promise<readonly Port.FunctionCall[]> {
    const since = this.faultsHere.calls.length;
    await work();
    return this.faultsHere.calls.slice(since);
  }

  protected override async unmet(): Promise<readonly object[]> {
    return this.faultsHere.plan.unmet();
  }

  protected override wait(milliseconds: number): Promise<void> {
    return this.forward(Math.ceil(milliseconds));
  }

  /** Many may wait at once: time passes once for all of them. */
  private forward(milliseconds: number): Promise<void> {
    this.passing ??= this.local.live.forward(milliseconds).finally(() => {
      this.passing = undefined;
    });
    return this.passing;
  }
}
