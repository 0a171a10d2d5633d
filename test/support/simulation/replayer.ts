import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { APP } from '../../../lambdas/app.js';
import { command } from '../../../lambdas/operations/program.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { replay } from '../../../packages/operator/replay/replay-command.js';
import type { ReplayAccess } from '../../../packages/operator/replay/replay-run.js';
import type { ReplayRequest } from '../../../packages/operator/replay/request.js';
import { createDocumentClient } from './operator.js';
import type { Orderly } from './orderly.js';

/** Messages in a second. */
const RATE = 5;

/** Result of a replay, as `--json` prints it. */
interface Replayed {
  readonly result: 'done' | 'stopped' | 'slow';
  readonly sent: number;
  readonly next: readonly string[];
}

/** Operator who deploys consumers, and replays events to them with the command line's own code. */
export class Replayer {
  private readonly documents: DynamoDBDocumentClient;
  /** Outputs of the stacks about each consumer that was deployed late. */
  private readonly deployed = new Map<string, { readonly since?: string; readonly dedupeWindowSeconds: number }>();

  constructor(private readonly orderly: Orderly) {
    this.documents = createDocumentClient(orderly.cloud);
  }

  /** Disables the rules of consumers that will be deployed later. @param labels beginnings of their constructs' paths */
  before(labels: readonly string[]): void {
    this.orderly.cloud.events.disable((label) => labels.some((begin) => label.startsWith(begin)));
  }

  /**
   * Deploys a consumer for the first time.
   * @param label beginning of its constructs' paths
   * @param windowSeconds its deduplication window
   * @param saysSince whether its construct says since when it is deployed; a sequential inbox needs no such word
   */
  deploy(consumer: string, label: string, windowSeconds: number, saysSince: boolean): void {
    const { events, functions, world } = this.orderly.cloud;
    const since = new Date(world.now).toISOString();
    this.deployed.set(consumer, { ...(saysSince && { since }), dedupeWindowSeconds: windowSeconds });
    for (const rule of events.rules.list()) if (rule.resource.label.startsWith(label)) events.rules.enable(rule);
    for (const fn of functions.values()) {
      if (fn.variables[Env.CONSUMER] !== consumer) continue;
      const variables = { ...fn.variables, [Env.DEDUPE_WINDOW_SECONDS]: String(windowSeconds) };
      fn.update({ variables: saysSince ? { ...variables, [Env.CONSUMER_SINCE]: since } : variables });
    }
    world.note(`operator deploys ${consumer}`);
  }

  /**
   * Replays a span to a consumer, and continues as the command says, until all is sent.
   * @param stopAfter messages after which the operator stops the first run
   * @returns the number of runs, and of messages that were sent
   */
  async replay(
    consumer: string,
    from: string,
    stopAfter: number,
  ): Promise<{ readonly runs: number; readonly sent: number }> {
    let span = { from, to: new Date(this.orderly.cloud.world.now).toISOString() };
    for (let runs = 1, sent = 0; ; runs++) {
      const found = await this.run(
        { consumer, selection: { kind: 'span', ...span } },
        runs === 1 ? stopAfter : undefined,
      );
      sent += found.sent;
      if (found.result === 'done') return { runs, sent };
      const [, continues = '', to = ''] = /--from (\S+) --to (\S+)/.exec(found.next[0] ?? '') ?? [];
      span = { from: continues, to };
      await this.orderly.cloud.world.pass(60_000);
    }
  }

  private async run(
    request: Pick<ReplayRequest, 'consumer' | 'selection'>,
    stopAfter = Number.POSITIVE_INFINITY,
  ): Promise<Replayed> {
    const { world } = this.orderly.cloud;
    let sent = 0;
    const access: ReplayAccess = {
      now: () => new Date(world.now).toISOString(),
      messagesIn: async () => this.orderly.findQueue(request.consumer).listMessages().length,
      createdAt: async () => this.deployed.get(request.consumer)?.since,
      send: async (_, body, attributes = {}, group) => {
        const marks = Object.entries(attributes).map(([name, StringValue]) => [
          name,
          { DataType: 'String', StringValue },
        ]);
        this.orderly
          .findQueue(request.consumer)
          .send({ body, attributes: Object.fromEntries(marks), ...(group !== undefined && { group }) });
        sent++;
      },
    };
    const context = {
      app: APP.name,
      documents: this.documents,
      clock: { now: access.now },
      services: this.services,
      command,
      say: () => undefined,
      actor: async () => 'olga',
      wait: (seconds: number) => world.pass(seconds * 1_000),
      stopped: () => sent >= stopAfter,
    };
    const { json } = await replay(context, { ...request, rate: RATE, again: false, dryRun: false }, access);
    const found = json.replay as Replayed;
    world.note(`operator: replay to ${request.consumer}: ${found.result}, ${found.sent} sent`);
    return found;
  }

  /** The services as the outputs of the stacks describe them after the deployments. */
  private get services(): readonly Service[] {
    return this.orderly.services.map((service) => ({
      ...service,
      consumers: service.consumers.map((consumer) => ({ ...consumer, ...this.deployed.get(consumer.name) })),
    }));
  }
}
