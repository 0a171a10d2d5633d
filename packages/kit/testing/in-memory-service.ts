import type { Evolution } from '../decider/decider.js';
import type { Aggregate } from '../event-store/event-store.js';
import { tooOldBy } from '../failures/failure-kinds.js';
import { recordKey } from '../failures/failure-records.js';
import type { Source } from '../idempotent-consumer/listening.js';
import { processMessage } from '../idempotent-consumer/process-message.js';
import { type Effect, ProcessedRecords } from '../idempotent-consumer/process-once.js';
import type { AnyEvent } from '../messages/contract.js';
import type { Envelope } from '../messages/envelope.js';
import { InMemoryEventStore } from './in-memory-event-store.js';
import { InMemoryTables } from './in-memory-tables.js';

const RECORDS = 'records';
/** Deduplication window of consumers, in seconds: 35 days. */
const WINDOW = 35 * 86_400;

/** Records of processed messages in memory, in one transaction with the effects. */
class InMemoryRecords extends ProcessedRecords {
  constructor(
    private readonly tables: InMemoryTables,
    name: string,
  ) {
    super(RECORDS, { name, generation: 0 }, WINDOW);
  }

  override transact(writes: Effect): Promise<void> {
    return this.tables.transact(writes);
  }

  override async has({ id }: Envelope): Promise<boolean> {
    return this.tables.get(RECORDS, { pk: recordKey(this.consumer, id) }) !== undefined;
  }
}

/**
 * A service in memory: event stores, and consumers whose effects commit with the records of their messages, as in a
 * deployed function. It needs no settings and no AWS client.
 * @example
 * const service = new InMemoryService('courses');
 * const courseStore = service.eventStore(courses);
 * const deliver = service.consumer([bookings(courseStore)]);
 * await deliver(commandMessage(coursesContract, book, 'students'));
 */
export class InMemoryService {
  private readonly tables = new InMemoryTables();
  private consumers = 0;

  /** @param name name of the service, without the name of its application */
  constructor(private readonly name: string) {}

  /** Returns an event store of this service. */
  eventStore<State, Event extends AnyEvent, Rules extends Evolution<State, Event>>(
    aggregate: Aggregate<Rules & Evolution<State, Event>>,
  ): InMemoryEventStore<State, Event, Rules> {
    return new InMemoryEventStore<State, Event, Rules>(aggregate, this.tables);
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
      processMessage({ message, recorded: undefined, tooOld: tooOldBy(message, WINDOW) }, sources, records, rules);
  }
}
