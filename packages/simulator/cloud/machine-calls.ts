import type { Resource } from '../assembly/assembly.js';
import type { ServiceSurroundings } from '../services/apigateway/service-integration.js';
import { describeObject } from '../services/s3/described.js';
import type { ServiceCall } from '../services/states/tasks.js';
import type { AwsError } from '../wire/request.js';
import type { Answer, Services } from './services.js';
import { answerUnmodelled } from './unmodelled.js';

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
    if (typeof answer !== 'function' && 'raw' in answer && request.service === 's3')
      return { output: describeObject(answer.raw) };
    if (typeof answer === 'function' || 'raw' in answer)
      throw new Error(`${caller.label}: there is no answer at once to ${request.service} ${request.operation}`);
    return answer;
  } catch (error) {
    const what = `${request.service}.${request.operation}`;
    return { error: answerUnmodelled({ caller: caller.label, what, error: error as Error }, unmodelled) };
  }
}

/**
 * Returns what integrations of a gateway need of an account: it carries their requests out, as {@link callForMachine} does for a task.
 * @param log called with what has no model. @default the history ends
 */
export const serveGateway = (
  services: Services,
  log: ((line: string) => void) | undefined,
): Pick<ServiceSurroundings, 'call' | 'unmodelled'> => ({
  call(request, { label, role }) {
    try {
      // Errors name the session of the role.
      const fn = { label, role, resource: { arn: role } as Resource };
      const answer = services.perform({ ...request, protocol: 'json-1.0' }, { fn });
      if (typeof answer === 'function') return (then) => answer((later) => then(withoutRaw(later)));
      return withoutRaw(answer);
    } catch (error) {
      const what = `${request.service}.${request.operation}`;
      return { error: answerUnmodelled({ caller: label, what, error: error as Error }, log) };
    }
  },
  unmodelled(error) {
    if (!log) throw error;
    log(`${error.message}. The simulator has no model of this.`);
  },
});

function withoutRaw(answer: Answer): { readonly output: object } | { readonly error: AwsError } {
  if ('raw' in answer) throw new Error('an integration of a gateway has no raw answer');
  return answer;
}
