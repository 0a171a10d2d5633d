import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { ProviderUnavailable } from './payment-provider.js';

const client = new SSMClient({});

/**
 * Reads a secret from Parameter Store. A function's environment never contains it, because anyone who may describe the
 * function would see it there.
 * @param name of a SecureString
 * @throws {ProviderUnavailable} if it can't be read: nothing was requested from the provider
 */
export async function readSecret(name: string): Promise<string> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    if (Parameter?.Value) return Parameter.Value;
  } catch (error) {
    throw new ProviderUnavailable('NO_SECRET', { cause: error });
  }
  throw new ProviderUnavailable('NO_SECRET');
}
