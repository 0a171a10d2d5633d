import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { authenticate, Unauthenticated } from '../../platform/auth.js';
import { correlationIdFrom } from '../../platform/ids.js';
import { logger } from '../../platform/telemetry.js';

/**
 * API Gateway's authorizer: who calls, as the token says; what they may do is each endpoint's own matter.
 *
 * It denies instead of throwing, since only a denial hands a context to the gateway's answer: the correlation id. The
 * gateway answers every denial with 401. Its results are not cached, so an expired token is refused at once.
 */
export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const headers = new Map(Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const correlationId = correlationIdFrom(headers.get('x-correlation-id'));
  // `arn:…:<api>/<stage>/<method>/<path>`: the policy is for the whole stage.
  const everyRoute = `${event.methodArn.split('/').slice(0, 2).join('/')}/*/*`;
  try {
    // The gateway hands over the last one; the firewall's count by token might look at another.
    if (authorizationsIn(event) > 1) throw new Unauthenticated('several Authorization headers');
    const { id, role, expires } = await authenticate(headers.get('authorization'));
    return result(id, 'Allow', everyRoute, { sub: id, role, exp: String(expires), correlationId });
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    logger.info('token refused', { correlationId, reason: error.message });
    return result('nobody', 'Deny', everyRoute, { correlationId });
  }
}

const authorizationsIn = ({ multiValueHeaders }: APIGatewayRequestAuthorizerEvent): number =>
  Object.entries(multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .flatMap(([, values]) => values ?? []).length;

const result = (
  principalId: string,
  Effect: 'Allow' | 'Deny',
  Resource: string,
  context: Record<string, string>,
): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }] },
  context,
});
