import { gzipSync } from 'node:zlib';
import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { Iam } from '../iam/model.js';
import type { LambdaFunction, LogLine } from '../lambda/model.js';
import { parseFilterPattern } from './filter-pattern.js';

/** A subscription that AWS refuses, or that has no model. */
export class SubscriptionRefused extends Error {
  override readonly name = 'SubscriptionRefused';
}

/** Subscription filters of one log group. Amazon CloudWatch Logs User Guide, "CloudWatch Logs quotas". */
const MOST_FILTERS = 2;
/** Lines that are delivered together, so that one invocation's event stays far below Lambda's 1 MB. AWS documents no number. */
const MOST_LINES = 200;

interface Filter {
  readonly resource: Resource;
  readonly logGroup: string;
  readonly destination: string;
  readonly fits: (text: string) => boolean;
  /** Lines that are not delivered yet. */
  waiting: LogLine[];
}

interface Around {
  readonly world: EventLoop;
  readonly iam: Iam;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  /** Invokes a function asynchronously. */
  readonly invoke: (arn: string, event: unknown) => void;
}

/**
 * Subscriptions of functions to log groups: lines that match a filter arrive at a function, compressed, a moment later and
 * several at once. Amazon CloudWatch Logs User Guide, "Log group-level subscription filters", example 2.
 */
export class LogSubscriptions {
  private readonly filters: readonly Filter[];
  /** Log groups by the labels of the functions that log to them. */
  private readonly groups = new Map<string, string>();
  private deliveries = 0;

  /** @throws {SubscriptionRefused} for more than two filters of a group, and for a destination that is no function */
  constructor(
    private readonly assembly: Assembly,
    private readonly around: Around,
  ) {
    const functions = new Set(assembly.findByType('AWS::Lambda::Function').map(({ arn }) => arn));
    this.filters = assembly.findByType('AWS::Logs::SubscriptionFilter').map((resource) => {
      const { LogGroupName, DestinationArn, FilterPattern } = resource.properties;
      const destination = String(DestinationArn);
      if (!functions.has(destination))
        throw new SubscriptionRefused(
          `${resource.label}: the destination ${destination} is no function of this assembly`,
        );
      const fits = parseFilterPattern(String(FilterPattern ?? ''));
      return { resource, logGroup: String(LogGroupName), destination, fits, waiting: [] };
    });
    for (const { logGroup, resource } of this.filters)
      if (this.filters.filter((other) => other.logGroup === logGroup).length > MOST_FILTERS)
        throw new SubscriptionRefused(
          `${resource.label}: the log group ${logGroup} has more than ${MOST_FILTERS} subscription filters`,
        );
  }

  /** Takes a line of a function. */
  take(line: LogLine): void {
    if (this.filters.length === 0) return;
    const { world } = this.around;
    const group = this.groupOf(line);
    for (const filter of this.filters) {
      if (filter.logGroup !== group || !filter.fits(line.text)) continue;
      filter.waiting.push(line);
      if (filter.waiting.length > 1) continue;
      world.after(
        world.latency((random) => random.between(500, 3_000)),
        () => this.deliver(filter),
      );
    }
  }

  private groupOf({ fn }: LogLine): string | undefined {
    const known = this.groups.get(fn);
    if (known !== undefined) return known;
    const group = [...this.around.functions.values()].find(({ label }) => label === fn)?.logGroup;
    if (group !== undefined) this.groups.set(fn, group);
    return group;
  }

  private deliver(filter: Filter): void {
    const { world, iam, invoke } = this.around;
    const lines = filter.waiting;
    filter.waiting = [];
    const { home } = this.assembly;
    const { destination, logGroup, resource } = filter;
    const context = { 'aws:SourceArn': home.arn('logs', `log-group:${logGroup}:*`) };
    const access = { action: 'lambda:InvokeFunction', resource: destination, context, service: 'logs.amazonaws.com' };
    if (!iam.resourceAllows(destination, access)) {
      world.note(`${resource.label}: ${lines.length} lines are LOST: ${destination} has no permission for logs`);
      return;
    }
    for (let from = 0; from < lines.length; from += MOST_LINES) {
      const id = `${resource.label} delivery ${++this.deliveries}`;
      const message = {
        messageType: 'DATA_MESSAGE',
        owner: home.account,
        logGroup,
        logStream: 'simulated',
        subscriptionFilters: [resource.ref],
        logEvents: lines.slice(from, from + MOST_LINES).map(({ at, text }, place) => ({
          id: `${this.deliveries}-${place}`,
          timestamp: at,
          message: text,
        })),
      };
      world.note(`${id} of ${message.logEvents.length} lines`);
      invoke(destination, { awslogs: { data: gzipSync(JSON.stringify(message)).toString('base64') } });
    }
  }
}
