import { OperatorError } from '../cli/errors.js';

/**
 * Returns the region at AWS, chosen as AWS's own command line does: `--region`, `AWS_REGION`, `AWS_DEFAULT_REGION`, or the
 * region of the profile (`--profile`, `AWS_PROFILE`, or `default`).
 * @throws {OperatorError} `unreachable` if none of them names one
 */
export async function awsRegion(): Promise<string> {
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_PROFILE = 'default', AWS_CONFIG_FILE = '~/.aws/config' } = process.env;
  const named = AWS_REGION || AWS_DEFAULT_REGION;
  if (named) return named;
  // Any client reads the configuration files; this one is loaded for the stacks in any case.
  const { CloudFormationClient } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient({});
  try {
    return await client.config.region();
  } catch (cause) {
    throw new OperatorError(
      'unreachable',
      `No region: neither --region nor AWS_REGION names one, nor does profile '${AWS_PROFILE}' in ${AWS_CONFIG_FILE}.`,
      `add --region <region>, or aws configure set region <region> --profile ${AWS_PROFILE}`,
      { cause },
    );
  } finally {
    client.destroy();
  }
}
