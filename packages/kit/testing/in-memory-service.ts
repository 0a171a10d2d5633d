import type { Item } from '../aws/items.js';
import type { Table } from '../aws/table.js';
import type { Evolution } from '../decider/decider.js';
import type { Aggregate } from '../event-store/event-store.js';
import { findTooOld } from '../failures/failure-kinds.js';
import type { Source } from '../idempotent-consumer/message-source.js';
import { processMessage } from '../idempotent-consumer/process-message.js';
import { type Effect, ProcessedRecords } from '../idempotent-consumer/process-once.js';
import type { Commit } from '../messages/commit.js';
import { type AnyEvent, listTypesOffBus, type ServiceContract } from '../messages/contract.js';
import { type Envelope, toBusEntries } from '../messages/envelope.js';
import { type StateAggregate, StateStore, type Stored } from '../state-store/state-store.js';
import { InMemoryEventStore, TABLE } from './in-memory-event-store.js';
import { createTable, InMemoryTables, type ServiceTables } from './in-memory-tables.js';
import { APP } from './messages.js';

/** Name of the table that holds the records of processed messages, and timers. */
const RECORDS = 'records';
/** Deduplication window of consumers, in seconds: 35 days. */
const WINDOW = 35 * 86_400;

/** Whether an item is a commit, which waits in its table to be published (transactional outbox). */
const isCommit = (item: Item | undefined): item is Commit & Item => Array.isArray(item?.events);

/** Records of processed messages in memory, in one transaction with the effects. */
class InMemoryRecords extends ProcessedRecords {
  constructor(
    private readonly tables: ServiceTables,
    name: string,
  ) {
    super(RECORDS, { name, generation: 0 }, WINDOW);
  }

  override transact(writes: Effect): Promise<void> {
    return this.tables.transact(writes);
  }

  override async isProcessed(message: Envelope): Promise<boolean> {
    return (await this.tables.read(RECORDS, { pk: this.keyOf(message) })) !== undefined;
  }

  override isKnown(message: Envelope): Promise<boolean> {
    return this.isProcessed(message);
  }
}

/**
 * A service in memory: its stores, and consumers whose effects commit with the records of their messages, as in a
 * deployed function. It needs no settings and no AWS client.
 * @example
 * const service = new InMemoryService('courses');
 * const courseStore = service.eventStore(courses);
 * const deliver = service.consumer([bookings(courseStore)]);
 * await deliver(commandMessage(coursesContract, book, 'students'));
 */
export class InMemoryService {
  /** The service's own table, which its stores share. */
  readonly table: Table;
  /** The service's idempotency table. */
  readonly records: Table;
  private readonly tables: ServiceTables;
  private readonly outbox: Commit[] = [];
  private readonly contracts = new Set<ServiceContract>();
  private consumers = 0;

  /**
   * @param name name of the service, without the name of its application
   * @param tables tables of the service. Writes with arithmetic need those of a model of DynamoDB.
   * @default tables in memory that know the writes of the kit's own stores
   */
  constructor(
    private readonly name: string,
    tables: ServiceTables = new InMemoryTables(),
  ) {
    this.tables = {
      read: (table, key) => tables.read(table, key),
      query: (table, pk) => tables.query(table, pk),
      transact: async (writes) => {
        await tables.transact(writes);
        for (const { Put } of writes) if (isCommit(Put?.Item)) this.outbox.push(Put.Item);
      },
    };
    this.table = createTable(this.tables, TABLE);
    this.records = createTable(this.tables, RECORDS);
  }

  /**
   * Returns the events and commands that were committed since the last call, as the relay sends them. Deliver them to the
   * consumers that hear them, as often as you like.
   */
  drainPublished(): readonly Envelope[] {
    const sender = { app: APP, service: this.name, offBus: listTypesOffBus([...this.contracts]) };
    const entries = this.outbox.splice(0).flatMap((commit) => toBusEntries(commit, sender));
    return entries.map(({ Detail }) => JSON.parse(Detail) as Envelope);
  }

  /** Returns an event store of this service. */
  eventStore<State, Event extends AnyEvent, Rules extends Evolution<State, Event>>(
    aggregate: Aggregate<Rules & Evolution<State, Event>>,
  ): InMemoryEventStore<State, Event, Rules> {
    this.contracts.add(aggregate.contract);
    return new InMemoryEventStore<State, Event, Rules>(aggregate, this.tables);
  }

  /** Returns a store of state-stored aggregates of this service. */
  stateStore<State extends Stored, Event extends AnyEvent>(aggregate: StateAggregate): StateStore<State, Event> {
    this.contracts.add(aggregate.contract);
    return new StateStore(aggregate, { table: this.table, feedShards: [], commitSeconds: WINDOW });
  }

  /**
   * Returns a consumer of this service, as a function that takes one delivery.
   * @param commanders names of the services that may send commands to this one
   * @returns what the consumer did. The function throws what makes a message be delivered again or fail.
   */
  consumer(
    sources: readonly Source[],
    commanders: readonly string[] = [],
  ): (message: Envelope) => Promise<'applied' | 'duplicate'> {
    this.consumers += 1;
    const records = new InMemoryRecords(this.tables, `consumer-${this.consumers}`);
    const rules = { service: this.name, commanders };
    return (message) =>
      processMessage(
        { message, recorded: undefined, tooOld: findTooOld(message, WINDOW), attempts: 1 },
        sources,
        records,
        rules,
      );
  }
}
