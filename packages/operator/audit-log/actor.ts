import { OperatorError } from '../cli/errors.js';
import { clientConfig, type Endpoint } from '../deployment/endpoint.js';
import { localUserName } from './local-user.js';

/** Maximum number of characters of an actor; messages limit theirs to 256, with the role. */
const MAX_ACTOR_LENGTH = 240;

/**
 * Returns who runs the command line, for whatever keeps it: at AWS the ARN of the caller, as CloudTrail has it too; at an
 * emulator, which knows no callers, the user of this machine. AWS is asked once, when it is needed.
 * @returns function that throws {OperatorError} `unreachable` if AWS doesn't say who calls
 */
export function createActorLookup(endpoint: Endpoint): () => Promise<string> {
  let actor: Promise<string> | undefined;
  return () => {
    actor ??= endpoint.url === undefined ? readCallerArn(endpoint) : Promise.resolve(localUserName());
    return actor;
  };
}

async function readCallerArn(endpoint: Endpoint): Promise<string> {
  // Few commands need it: the others don't wait for its code.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const sts = new STSClient(clientConfig(endpoint));
  try {
    const { Arn } = await sts.send(new GetCallerIdentityCommand({}));
    if (Arn !== undefined) return Arn.slice(0, MAX_ACTOR_LENGTH);
    throw new Error('it has no ARN');
  } catch (cause) {
    const why = cause instanceof Error ? cause.name : String(cause);
    throw new OperatorError(
      'unreachable',
      `AWS doesn't say who you are (${why}), and nothing is changed without a name in the audit log.`,
      'aws sts get-caller-identity',
      { cause },
    );
  } finally {
    sts.destroy();
  }
}
