import { createOrderSaga } from '../../../lambdas/orders/domain/create-order.js';
import type { CreateOrder, CreateOrderEvent } from '../../../lambdas/orders/saga-contract.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { timerIdOf } from '../../../packages/kit/saga/contract.js';
import { compensationIdOf, stepIdOf } from '../../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../../packages/kit/saga/state.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { type Commit, type Facts, isCommit } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/**
 * Checks each commit of a saga (design, section 9): its commands, the answers it processes, its timeouts and its
 * compensations.
 */
export const sagaCommits: Check = (facts) => [
  ...[...facts.sagas].flatMap(([id, commits]) => [
    ...asksForWhatItSays(id, commits),
    ...hearsAnswers(facts, id, commits),
    ...undoesInReverse(id, commits),
    ...isPatient(facts, id, commits),
  ]),
  ...timers(facts),
  ...undoesAlone(facts),
  ...hearsLateAnswers(facts),
];

const eventsOf = ({ events }: Commit): readonly CreateOrderEvent[] =>
  events.map(({ type, data }) => ({ type, data: JSON.parse(data) }) as CreateOrderEvent);

/** A commit sends exactly the commands that it records, with the step's own identity, at every attempt. */
const asksForWhatItSays = (id: string, commits: readonly Commit[]): readonly Violation[] =>
  commits.flatMap((commit) => {
    const said = eventsOf(commit).flatMap(({ type, data }) => {
      if (type === 'StepSent') return [stepIdOf(id, data.step)];
      return type === 'CompensationSent' ? [compensationIdOf(id, data.step)] : [];
    });
    const sent = (commit.commands ?? []).map(({ data }) => (JSON.parse(data) as { stepId: string }).stepId);
    const told = `${commit.sk}: said ${said}, sent ${sent}`;
    return `${said}` === `${sent}` ? [] : [violation('a saga sends the commands that its events record', told, id)];
  });

/** A step is done, or compensated, only after an answer that says so, or after an operator's command. */
const hearsAnswers = ({ published }: Facts, id: string, commits: readonly Commit[]): readonly Violation[] =>
  commits.flatMap((commit) =>
    eventsOf(commit).flatMap(({ type, data }) => {
      if ((type !== 'StepDone' && type !== 'CompensationDone') || 'by' in data) return [];
      const wanted = type === 'StepDone' ? stepIdOf(id, data.step) : compensationIdOf(id, data.step);
      const heard = published.get(commit.trigger)?.detail as
        | { readonly type: string; readonly data: { readonly stepId?: string; readonly outcome?: string } }
        | undefined;
      const isDone = heard?.data.outcome !== 'REFUSED' && !/Refused|Rejected|Declined/.test(heard?.type ?? '');
      const told = `${type} ${data.step} by ${heard?.type} ${heard?.data.outcome ?? ''} of ${heard?.data.stepId}`;
      return isDone && heard?.data.stepId === wanted
        ? []
        : [violation('a step is done only by its own successful answer', told, id)];
    }),
  );

/** A saga doesn't stay stuck once it has heard that its compensation is done, however late, and without an operator. */
export const hearsLateAnswers: Check = (facts) =>
  [...facts.stuck].flatMap((id) => {
    const { state } = facts.saga(id);
    if (state.status !== 'STUCK') return [];
    const wanted = compensationIdOf(id, state.waiting.step);
    const heard = [...facts.published].filter(([eventId, { detail }]) => {
      const { to, data } = detail as { readonly to?: string; readonly data?: Partial<Record<string, unknown>> };
      const isDone = to === undefined && data?.stepId === wanted && data.outcome !== 'REFUSED';
      return isDone && facts.delivery(facts.listener('orders-saga'), { id: eventId }) === 'processed';
    });
    const told = `${wanted}: ${heard.length} answers`;
    return heard.length === 0 ? [] : [violation('a stuck saga continues by a late answer', told, id)];
  });

function undoesInReverse(id: string, commits: readonly Commit[]): readonly Violation[] {
  const events = commits.flatMap(eventsOf);
  const sent = events.flatMap(({ type, data }) => (type === 'StepSent' ? [data.step] : []));
  const undone = events.flatMap(({ type, data }) => (type === 'CompensationSent' ? [data.step] : []));
  const places = undone.map((step) => sent.indexOf(step));
  const isReverse = places.every((place, at) => place >= 0 && place <= (places[at - 1] ?? place));
  return isReverse
    ? []
    : [violation('a saga compensates the steps that it sent, in reverse order', `${sent}; ${undone}`, id)];
}

/** Nothing is resent or given up before its time, unless an operator requests it. */
function isPatient({ published }: Facts, id: string, commits: readonly Commit[]): readonly Violation[] {
  let state: SagaState<CreateOrder> = initialState;
  return commits.flatMap((commit) =>
    eventsOf(commit).flatMap((event): readonly Violation[] => {
      const before = state;
      state = evolve(state, event);
      if (!('waiting' in before)) return [];
      const { step, since, again } = before.waiting;
      const { data } = event;
      const isRunning = before.status === 'RUNNING';
      const retryPolicy = isRunning ? createOrderSaga.steps.find(({ name }) => name === step)?.retryPolicy : undefined;
      const { timeout } = retryPolicy ?? createOrderSaga.compensationPolicy;
      const isGivenUp =
        (event.type === 'SagaFailed' && event.data.ending.cause === 'UNANSWERED') ||
        (event.type === 'SagaStuck' && event.data.reason === 'UNANSWERED');
      const isSentAgain = 'attempt' in data && data.attempt > 1;
      const isAsked = published.get(commit.trigger)?.['detail-type'] === 'RetrySaga';
      const isEarly =
        (isSentAgain && !isAsked && data.at < again) ||
        (isGivenUp && Date.parse(event.data.at) < Date.parse(since) + timeout * 1000);
      const told = `${event.type} ${JSON.stringify(data)}; ${step} sent at ${since}, due at ${again}`;
      return isEarly ? [violation('a saga retries and gives up a step no earlier than its policy says', told, id)] : [];
    }),
  );
}

/** After each commit a waiting saga has a timeout, set by that commit; a finished saga has none. */
function timers(facts: Facts): readonly Violation[] {
  const listener = facts.listener('orders-saga');
  const statuses = new Map<string, unknown>();
  const sagas = new Map<string, SagaState<CreateOrder>>();
  return facts.writes.flatMap(({ changes }) => {
    for (const { before, after } of changes) statuses.set(String((after ?? before)?.pk), after?.status);
    return changes.flatMap(({ after }) => {
      if (!after || !isCommit(after) || !String(after.pk).startsWith('CreateOrderSaga#')) return [];
      const id = String(after.pk).slice('CreateOrderSaga#'.length);
      const events = eventsOf(after as unknown as Commit);
      const state = events.reduce<SagaState<CreateOrder>>(evolve, sagas.get(id) ?? initialState);
      sagas.set(id, state);
      const timer = (number: number): string => recordKey(listener, timerIdOf(id, number));
      const isSet = ['PENDING', 'FAILED'].includes(String(statuses.get(timer(state.timers))));
      const isWithIt = (number: number): boolean => changes.some((one) => one.after?.pk === timer(number));
      const isOver = state.status === 'COMPLETED' || state.status === 'COMPENSATED';
      const waits = state.status === 'RUNNING' || state.status === 'COMPENSATING';
      const right =
        events.every((event) => event.type !== 'TimerSet' || isWithIt(event.data.number)) &&
        !(waits && !isSet) &&
        !(isOver && statuses.get(timer(state.timers)) === 'PENDING') &&
        statuses.get(timer(state.timers - 1)) !== 'PENDING';
      const told = `${state.status}, timer ${state.timers} ${String(statuses.get(timer(state.timers)))}`;
      return right ? [] : [violation('a waiting saga has one pending timer, and an ended saga has none', told, id)];
    });
  });
}

/** If an order is cancelled while its saga is in progress, other consumers leave the compensation to the saga. */
function undoesAlone({ published, reservations, accounts, payments }: Facts): readonly Violation[] {
  const isOfTheSaga = (trigger: string): boolean => {
    const { type, data } = (published.get(trigger)?.detail ?? {}) as { type?: string; data?: { underWay?: boolean } };
    return type === 'OrderCancelled' && data?.underWay === true;
  };
  return [reservations, accounts, payments].flatMap((aggregates) =>
    [...aggregates].flatMap(([id, commits]) =>
      commits
        .filter(({ trigger }) => isOfTheSaga(trigger))
        .map(({ pk, sk }) => violation('only the saga compensates while it is in progress', `${pk} ${sk}`, id)),
    ),
  );
}
