import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { correlationIdFrom, dropRandomBytes } from '../aws/ids.js';
import { logger } from '../aws/telemetry.js';
import { authenticate } from './auth.js';
import { Unauthenticated } from './caller.js';
import { findAllowedOrigin } from './cors.js';
import { ALLOWED_ORIGIN } from './cors-headers.js';
import { headerReader } from './headers.js';

/**
 * Authorizes every request at API Gateway: it identifies the caller by the token. Each endpoint decides what the caller
 * may do.
 *
 * The authorizer denies instead of throwing, since only a denial passes a context (the correlation id, and why the token is refused) to the
 * gateway's answer. The gateway answers every denial with 401. Results are not cached, so an expired token is refused at once.
 */
export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  // A header that occurs twice counts as absent, also the token and the correlation id: nothing here chooses between
  // two.
  const header = headerReader(event);
  const correlationId = correlationIdFrom(header('x-correlation-id'));
  // The gateway's own answers can't compare origins.
  const origin = findAllowedOrigin(header);
  const context = { correlationId, ...(origin !== undefined && { [ALLOWED_ORIGIN]: origin }) };
  // `arn:…:<api>/<stage>/<method>/<path>`: the policy covers the whole stage.
  const everyRoute = `${event.methodArn.split('/').slice(0, 2).join('/')}/*/*`;
  try {
    const { id, role, expires } = await authenticate(header('authorization'));
    return buildResult(id, 'Allow', everyRoute, { sub: id, role, exp: String(expires), ...context });
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    logger.info('token refused', { correlationId, reason: error.message });
    return buildResult('nobody', 'Deny', everyRoute, { ...context, refusal: error.detail });
  } finally {
    dropRandomBytes();
  }
}

const buildResult = (
  principalId: string,
  Effect: 'Allow' | 'Deny',
  Resource: string,
  context: Record<string, string>,
): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }] },
  context,
});
