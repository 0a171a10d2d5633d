/** Process managers: long transactions over several services, with timeouts and compensation. */
export { type Ending, type SagaEvent, sagaCommands, sagaEvents } from './contract.js';
export {
  decide,
  type RetryPolicy,
  type Saga,
  type SagaDecision,
  type SagaMessage,
  SagaRefused,
  type Step,
} from './saga.js';
export { evolve, initialState, type PendingStep, type SagaState, sagaEvolution } from './state.js';
