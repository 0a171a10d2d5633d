import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { matches } from '../../patterns/matches.js';
import type { Iam } from '../iam/model.js';
import type { Consumer } from './consumer.js';

/**
 * The poller of a source: an event source mapping, as its API shows and changes it, or the first part of a pipe. AWS, "Control which
 * events Lambda sends to your function".
 */
export abstract class EventSource {
  private readonly filters: readonly Record<string, unknown>[];
  private isEnabled: boolean;

  /**
   * @param source of the mapping, for people
   * @param known properties that its model reads
   * @throws {Error} names other properties
   */
  constructor(
    readonly resource: Resource,
    readonly fn: Consumer,
    private readonly rights: { readonly world: EventLoop; readonly iam: Iam },
    source: 'queue' | 'stream',
    known: readonly string[],
  ) {
    const { FilterCriteria, Enabled } = resource.properties;
    const unknown = Object.keys(resource.properties).filter((name) => ![...KNOWN, ...known].includes(name));
    if (unknown.length > 0) throw new Error(`${resource.label}: ${unknown.join(', ')} isn't modelled for a ${source}`);
    const { Filters = [] } = (FilterCriteria ?? {}) as { Filters?: readonly { Pattern: string }[] };
    this.filters = Filters.map(({ Pattern }) => JSON.parse(Pattern) as Record<string, unknown>);
    this.isEnabled = Enabled !== false;
  }

  /** Path of its construct. */
  get label(): string {
    return this.resource.label;
  }

  /** While it isn't enabled, Lambda reads nothing from the source. */
  get enabled(): boolean {
    return this.isEnabled;
  }

  set enabled(enabled: boolean) {
    this.isEnabled = enabled;
    this.wake();
  }

  /** Called when there may be something to read. */
  abstract wake(): void;

  /** Whether the consumer gets a record; without filters, it gets each. */
  protected fits(record: () => object): boolean {
    return this.filters.length === 0 || this.filters.some((filter) => matches(filter, record()));
  }

  /** Whether functions of this type report which records of a batch failed. */
  protected get reportsFailures(): boolean {
    const types = (this.resource.properties.FunctionResponseTypes ?? []) as readonly string[];
    return types.includes('ReportBatchItemFailures');
  }

  /** Checks a right of the consumer's role. @param otherwise what happens without it, for the trace */
  protected may(action: string, resource: string, otherwise = ''): boolean {
    const { iam, world } = this.rights;
    const allowed = iam.roleAllows(this.fn.role, { action, resource });
    if (!allowed) world.note(`${this.fn.label} may not ${action}${otherwise}`);
    return allowed;
  }
}

/** Properties of every mapping. */
const KNOWN = [
  'BatchSize',
  'EventSourceArn',
  'FunctionName',
  'FunctionResponseTypes',
  'FilterCriteria',
  'Enabled',
  'Tags',
];
