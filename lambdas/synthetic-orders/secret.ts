import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { SafeError, safeText } from '@orderly/kit/aws';

const client = new SSMClient({});

/** Error for a secret that Parameter Store does not give. */
export class NoSecret extends SafeError {
  override readonly name = 'NoSecret';
}

/**
 * Reads the client's secret from Parameter Store. A function's environment never contains it, because anyone who may describe the
 * function would see it there.
 * @param name of a SecureString
 * @throws {NoSecret} if it can't be read
 */
export async function readSecret(name: string): Promise<string> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    if (Parameter?.Value) return Parameter.Value;
  } catch (cause) {
    throw new NoSecret(safeText`the client's secret can't be read`, { cause });
  }
  throw new NoSecret(safeText`the client's secret is empty`);
}
