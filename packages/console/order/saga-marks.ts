import type { SagaMark, StepState } from './history.js';
import type { TracedMessage, TracedSaga } from './trace.js';

/** State of a step that an event of a saga tells (packages/kit/saga/contract.ts). */
const STATES: Readonly<Record<string, StepState>> = {
  StepSent: 'waiting',
  StepHeld: 'waiting',
  StepDone: 'done',
  SagaFailed: 'refused',
  CompensationSent: 'compensating',
  CompensationDone: 'compensated',
  SagaStuck: 'stuck',
};

/** Returns the sagas with their steps, as their events tell them. */
export const buildSagas = (sagas: readonly TracedSaga[], messages: readonly TracedMessage[]): readonly SagaMark[] =>
  sagas.map((saga) => {
    const steps = new Map<string, { name: string; state: StepState; attempt: number }>();
    for (const { service, subject, type, details = '' } of messages) {
      const state = STATES[type];
      if (service !== saga.service || subject !== `${saga.saga}/${saga.id}` || state === undefined) continue;
      const name = state === 'refused' ? (saga.ending?.step ?? '') : readStep(details);
      if (name === '') continue;
      const attempt = Number(/attempt (\d+)/.exec(details)?.[1] ?? steps.get(name)?.attempt ?? 1);
      steps.set(name, { name, state, attempt });
    }
    return {
      name: saga.saga,
      id: saga.id,
      service: saga.service,
      status: saga.status,
      text: describeSaga(saga),
      steps: [...steps.values()],
    };
  });

/** Details begin with the step: `reserve-stock, attempt 2` (packages/operator/sagas/saga-text.ts). */
const readStep = (details: string): string => /^[a-z][a-z-]*/.exec(details)?.[0] ?? '';

function describeSaga({ status, step, attempt, ending, reason }: TracedSaga): string {
  const at = step === undefined ? [] : [`waits for ${step}${(attempt ?? 1) > 1 ? `, attempt ${attempt}` : ''}`];
  const why = ending ? [[ending.cause, ending.step, ending.reason].filter(Boolean).join(' ')] : [];
  return [status, ...at, ...why, ...(reason === undefined ? [] : [reason])].join(': ');
}
