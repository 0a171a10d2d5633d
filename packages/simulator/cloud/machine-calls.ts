import type { ServiceCall } from '../services/states/tasks.js';
import type { Services } from './services.js';

/**
 * Carries a request of a state machine's task or of a pipe out.
 * @param unmodelled called with a request that no model answers, which then gets an error. @default the history ends
 * @throws what is no refusal of AWS
 */
export function callForMachine(
  services: Services,
  request: Parameters<ServiceCall>[0],
  caller: Parameters<ServiceCall>[1],
  unmodelled: ((line: string) => void) | undefined,
): ReturnType<ServiceCall> {
  try {
    const answer = services.perform({ ...request, protocol: 'json-1.0' }, { fn: caller });
    if (typeof answer === 'function' || 'raw' in answer)
      throw new Error(`${caller.label}: there is no answer at once to ${request.service} ${request.operation}`);
    return answer;
  } catch (error) {
    if (!unmodelled) throw error;
    const { message } = error as Error;
    unmodelled(`${caller.label}: the simulator doesn't model this: ${message}`);
    return { error: { status: 501, code: 'NotImplemented', message: `The simulator doesn't model this: ${message}` } };
  }
}
