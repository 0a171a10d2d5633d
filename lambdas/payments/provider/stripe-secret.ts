import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { ProviderUnavailable } from './payment-provider.js';

const client = new SSMClient({});

/**
 * Reads a secret from Parameter Store; it is never in a function's environment, where whoever may describe the function
 * would see it.
 * @param name of a SecureString
 * @throws {ProviderUnavailable} where it can't be read: nothing was asked of the provider
 */
export async function secretCalled(name: string): Promise<string> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    if (Parameter?.Value) return Parameter.Value;
  } catch (error) {
    throw new ProviderUnavailable('NO_SECRET', { cause: error });
  }
  throw new ProviderUnavailable('NO_SECRET');
}
