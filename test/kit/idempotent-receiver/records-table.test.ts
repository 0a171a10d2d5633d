import type { APIGatewayProxyEvent } from 'aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import { Env } from '../../../packages/kit/aws/environment.js';
import type { handler as GetSession } from '../../../packages/kit/idempotent-receiver/get-session.lambda.js';
import {
  keyRecordsFromEnvironment,
  recordsTableFromEnvironment,
} from '../../../packages/kit/idempotent-receiver/request-record.js';
import { openSession } from '../../../packages/kit/idempotent-receiver/session.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const SETTINGS = {
  table: 'records',
  windowSeconds: 35 * 86_400,
  service: 'tallies',
  sessionsPath: '/tallies/sessions',
};
let getSession: typeof GetSession;
beforeAll(async () => {
  functionEnvironment({ [Env.SERVICE]: SETTINGS.service, [Env.SESSIONS]: SETTINGS.sessionsPath });
  inProcessDynamoDb({ records: ['pk'] });
  ({ handler: getSession } = await import('../../../packages/kit/idempotent-receiver/get-session.lambda.js'));
});

test('a function reads the table of its service, and the route of its sessions, from its environment', () => {
  const { service: _, sessionsPath: __, ...ofKeys } = SETTINGS;
  expect(keyRecordsFromEnvironment()).toMatchObject(ofKeys);
  expect(recordsTableFromEnvironment()).toMatchObject(SETTINGS);
});

/** Asks for a session. @param sub customer who asks */
async function ask(sessionId: string, sub: string) {
  const event = {
    headers: {},
    multiValueHeaders: {},
    pathParameters: { sessionId },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: null,
    httpMethod: 'GET',
    resource: '/sessions/{sessionId}',
    requestContext: {
      authorizer: { sub, role: 'customer', exp: String(Math.floor(Date.now() / 1000) + 600) },
      requestId: 'r',
    },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, body } = await getSession(event);
  return { status: statusCode, body: JSON.parse(body) };
}

test('a session is shown to its client, and to nobody else', async () => {
  const { sessionId } = await openSession('customer:alice', recordsTableFromEnvironment());
  expect(await ask(sessionId, 'alice')).toMatchObject({
    status: 200,
    body: { sessionId, expiresAt: expect.any(String) },
  });
  expect(await ask(sessionId, 'bob')).toMatchObject({ status: 404 });
});
