import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { documentClient } from '@orderly/kit/internal/aws/dynamodb.js';
import { Env } from '@orderly/kit/internal/aws/environment.js';
import { requireEnv, requireListEnv } from '@orderly/kit/internal/aws/read-environment.js';
import type { CommandContext, OperatedApp } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import { commandFormatter } from '../cli/text-format.js';
import { endpointClock } from '../deployment/endpoint.js';
import { parseServices } from '../deployment/services.js';
import { findStacksNamed, type StackOutputs, stackPrefix } from '../deployment/stacks.js';
import { OperatorApiEnv } from './contract.js';

/** Settings of an application that its advice uses. */
export type AppAdvice = Pick<OperatedApp, 'program' | 'reportOn' | 'runbook' | 'pageOn'>;

/**
 * Returns a function that finds the environment of this function, as the command line's `openContext` does. Each call reads the
 * outputs of the stacks, with one request to CloudFormation for each. A stack that does not exist is left out, and the context
 * names it, so that the other stacks can still be asked.
 * @throws {SettingMissing} at start, if the construct did not name the stacks
 */
export function functionContext({ program, ...advice }: AppAdvice): () => Promise<CommandContext> {
  const names = requireListEnv(OperatorApiEnv.STACKS);
  const [app, environment] = [requireEnv(Env.APP), requireEnv(Env.ENVIRONMENT)];
  const endpoint = { url: undefined, region: requireEnv('AWS_REGION') };
  const cloudFormation = new CloudFormationClient();
  const prefix = stackPrefix(app, environment);
  return async () => {
    const found = await findStacksNamed(cloudFormation, names);
    const stacks: StackOutputs = Object.fromEntries(
      Object.entries(found.stacks).map(([name, outputs]) => [name.slice(prefix.length), outputs]),
    );
    const services = parseServices(stacks);
    if (services.length === 0) throw new OperatorError('unreachable', `No service of '${environment}' is deployed.`);
    return {
      ...advice,
      app,
      environment,
      endpoint,
      clock: endpointClock(endpoint),
      documents: documentClient,
      stacks,
      missingStacks: found.missing,
      services,
      command: commandFormatter(program),
      actor: refuseToAct,
      say: () => undefined,
    };
  };
}

/** Nothing that asks for an actor may run behind the API: whoever needs one is about to change something. */
const refuseToAct = async (): Promise<never> => {
  throw new OperatorError('refused', 'The API changes nothing: use the command line.');
};
