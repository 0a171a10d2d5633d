import { clock } from '../aws/clock.js';
import type { TransactWriteItem } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { countAtOnce, logger } from '../aws/telemetry.js';
import type { TransactionalEventStore } from '../event-store/event-store.js';
import type { EventSchema } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import type { Timers } from '../timers/timers.js';
import { type SagaEvent, type sagaCommands, stuckKey, timerIdOf } from './contract.js';
import { decide, type Saga, type SagaMessage } from './saga.js';
import type { SagaState } from './state.js';

/** A contract whose service takes a saga's own messages. */
export interface SagaContract {
  readonly service: string;
  readonly events: Readonly<Record<string, EventSchema>>;
  readonly commands: typeof sagaCommands;
}

export interface OrchestratorOptions<Data> {
  readonly saga: Saga<Data>;
  readonly store: TransactionalEventStore<SagaState<Data>, SagaEvent<Data>>;
  /** Type of the saga's aggregate, as in its store. */
  readonly aggregate: string;
  /** The service's table: what is stuck is listed there. */
  readonly table: string;
  readonly timers: Timers<SagaContract>;
}

/** What a message leads to: the writes belong into one transaction, with whatever the service adds to them. */
export interface Advance<Data> {
  readonly events: readonly SagaEvent<Data>[];
  readonly writes: readonly TransactWriteItem[];
}

/**
 * Carries a saga on (design, section 9): its events, the commands that follow and its clock are one write, so no crash
 * leaves a step recorded and not sent, or a saga that waits for ever.
 *
 * A saga has one clock, not one a step. It rings when the first step would be sent again; whoever hears it then finds
 * mostly that the saga is over, and otherwise sets it to what is waited for now. So a saga that goes well writes two items
 * for it: set at its beginning, cleared at its end.
 */
export class Orchestrator<Data> {
  constructor(private readonly options: OrchestratorOptions<Data>) {}

  /**
   * To be called again, with a fresh load, after a lost race.
   * @throws {SagaRefused} where an operator asks for what the state doesn't allow
   */
  async advance(id: string, message: SagaMessage<Data>, trace: Trace): Promise<Advance<Data>> {
    const { saga, store } = this.options;
    const loaded = await store.load(id);
    const { events, commands } = decide(saga, id, loaded.state, message, clock.now());
    if (events.length === 0) return { events, writes: [store.unchangedCheck(loaded)] };
    const commit = store.commit(loaded, events, trace, { commands });
    const after = store.after(loaded, commit).state;
    logger.info('saga', { saga: this.options.aggregate, sagaId: id, status: after.status });
    // Before the commit, since there is no moment after it: an alarm too many, never one too few.
    if (after.status === 'STUCK' && loaded.state.status !== 'STUCK') countAtOnce(Metric.SAGAS_STUCK);
    return {
      events,
      writes: [
        store.appendWrite(commit),
        ...this.clockWrites(id, loaded.state, after, trace),
        ...this.stuckWrites(id, loaded.state, after),
      ],
    };
  }

  private clockWrites(
    id: string,
    before: SagaState<Data>,
    after: SagaState<Data>,
    trace: Trace,
  ): readonly TransactWriteItem[] {
    const { timers, aggregate } = this.options;
    const isSet = after.timers > before.timers;
    const isOver = after.status === 'COMPLETED' || after.status === 'COMPENSATED';
    const writes: TransactWriteItem[] = [];
    // It may have rung long ago: clearing asks for nothing.
    if (before.timers > 0 && (isSet || isOver)) writes.push(timers.clear(timerIdOf(id, before.timers)));
    if (isSet && after.timerAt !== undefined) {
      const number = after.timers;
      writes.push(
        timers.set({
          id: timerIdOf(id, number),
          subject: `${aggregate}/${id}`,
          executeAt: after.timerAt,
          trace,
          type: 'RingTimer',
          data: { sagaId: id, number },
        }),
      );
    }
    return writes;
  }

  private stuckWrites(id: string, before: SagaState<Data>, after: SagaState<Data>): readonly TransactWriteItem[] {
    const { table: TableName, aggregate } = this.options;
    const Key = { pk: stuckKey(aggregate), sk: id };
    if (after.status === 'STUCK') {
      const { waiting, reason } = after;
      return [{ Put: { TableName, Item: { ...Key, step: waiting.step, since: clock.now(), reason } } }];
    }
    return before.status === 'STUCK' ? [{ Delete: { TableName, Key } }] : [];
  }
}
