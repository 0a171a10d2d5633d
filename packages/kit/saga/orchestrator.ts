import { clock } from '../aws/clock.js';
import type { TransactWriteItem } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { startSpan } from '../aws/spans.js';
import { countImmediately, logger } from '../aws/telemetry.js';
import type { TransactionalEventStore } from '../event-store/event-store.js';
import type { EventSchema } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import type { Timers } from '../timers/timers.js';
import { type SagaEvent, type sagaCommands, stuckKey, timerIdOf } from './contract.js';
import { RoundTrips } from './round-trips.js';
import { decide, findDueStep, measureLateReply, type Saga, type SagaMessage } from './saga.js';
import type { SagaState } from './state.js';

/** Contract of a service that accepts the saga's own commands. */
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
  /** The service's table. Stuck sagas and the round trips of steps are listed in it. */
  readonly table: string;
  readonly timers: Timers<SagaContract>;
}

/** Share of late answers whose round trips are stored. A backlog has many, so a few of them tell it. */
const STORED_SHARE = 1 / 4;

/** Result of a message. Commit the writes in one transaction, together with any writes that the service adds. */
export interface AdvanceResult<Data> {
  readonly events: readonly SagaEvent<Data>[];
  readonly writes: readonly TransactWriteItem[];
}

/**
 * Process manager: advances a saga with each message (design, section 9).
 *
 * The saga's events, the commands that follow from them and its timeout are one write. So no crash leaves a step that
 * is recorded but not sent, or a saga that waits for ever.
 *
 * A saga has one timeout, not one for each step. The timeout fires at the time when the first step would be sent again.
 * By then the saga is usually over. Otherwise the saga schedules the timeout again, for the step that it waits for now.
 * So a saga without problems writes two items for its timeout: one when the saga starts and one when it ends.
 */
export class Orchestrator<Data> {
  private readonly roundTrips: RoundTrips;

  constructor(private readonly options: OrchestratorOptions<Data>) {
    this.roundTrips = new RoundTrips(options.table, options.aggregate);
  }

  /**
   * Advances a saga with one message. Call it again after a lost race; it loads the saga again.
   * @throws {SagaRefused} if an operator asks for something that the saga's state does not allow
   */
  async advance(id: string, message: SagaMessage<Data>, trace: Trace): Promise<AdvanceResult<Data>> {
    const { saga, store } = this.options;
    const span = process.env.KIT_TRACES === 'on' ? startSpan(trace.traceparent) : undefined;
    const loaded = await store.load(id);
    const { events, commands } = decide(
      saga,
      id,
      loaded.state,
      await this.withRoundTrip(id, loaded.state, message),
      clock.now(),
    );
    if (events.length === 0) return { events, writes: [store.unchangedCheck(loaded)] };
    const commit = store.buildCommit(loaded, events, trace, { commands });
    const after = store.applyCommit(loaded, commit).state;
    span?.end('saga', {
      saga: this.options.aggregate,
      id,
      before: loaded.state.status,
      status: after.status,
      events: events.map(({ type }) => type),
    });
    // Counted before the commit, because no code is sure to run after it. So this may alarm twice, but never misses a
    // stuck saga.
    if (after.status === 'STUCK' && loaded.state.status !== 'STUCK') {
      countImmediately(Metric.SAGAS_STUCK);
      logger.warn('saga stuck', { saga: this.options.aggregate, sagaId: id });
    }
    return {
      events,
      writes: [
        store.appendWrite(commit),
        ...this.timeoutWrites(id, loaded.state, after, trace),
        ...this.stuckWrites(id, loaded.state, after),
      ],
    };
  }

  /** Adds to a timeout how long answers take at present. Stores it for some of the late answers. */
  private async withRoundTrip(
    id: string,
    state: SagaState<Data>,
    message: SagaMessage<Data>,
  ): Promise<SagaMessage<Data>> {
    const now = clock.now();
    const late = measureLateReply(this.options.saga, id, state, message, now);
    if (late && Math.random() < STORED_SHARE) await this.roundTrips.store(late.step, late.seconds);
    const step = findDueStep(state, message, now);
    if (step === undefined || message.type !== 'Timeout') return message;
    const roundTrip = await this.roundTrips.read(step);
    return roundTrip === undefined ? message : { ...message, roundTrip };
  }

  private timeoutWrites(
    id: string,
    before: SagaState<Data>,
    after: SagaState<Data>,
    trace: Trace,
  ): readonly TransactWriteItem[] {
    const { timers, aggregate } = this.options;
    const isSet = after.timers > before.timers;
    const isOver = after.status === 'COMPLETED' || after.status === 'COMPENSATED';
    const writes: TransactWriteItem[] = [];
    // This timeout may have fired long ago. Clearing it has no condition, so that does not matter.
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
