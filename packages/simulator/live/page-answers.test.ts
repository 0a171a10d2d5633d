import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arnOf, functionResource, TABLE, writeAssembly } from '../support/clouds.js';
import { LiveCloud } from './live-cloud.js';
import { answerPage } from './page-answers.js';

const ECHO = `exports.handler = async ({ httpMethod, path, headers, queryStringParameters: query, body }) => ({
  statusCode: 201, headers: { 'x-correlation-id': 'one' }, body: JSON.stringify({ httpMethod, path, query, body, by: headers.authorization }),
});`;
const FOLDER = writeAssembly(
  {
    Table: TABLE,
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api' } },
    Things: {
      Type: 'AWS::ApiGateway::Resource',
      Properties: {
        RestApiId: { Ref: 'Api' },
        ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
        PathPart: 'things',
      },
    },
    Post: {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        RestApiId: { Ref: 'Api' },
        ResourceId: { Ref: 'Things' },
        HttpMethod: 'POST',
        AuthorizationType: 'NONE',
        Integration: {
          Type: 'AWS_PROXY',
          IntegrationHttpMethod: 'POST',
          Uri: {
            'Fn::Join': [
              '',
              ['arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/', arnOf('Echo'), '/invocations'],
            ],
          },
        },
      },
    },
    May: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: arnOf('Echo'),
        Principal: 'apigateway.amazonaws.com',
      },
    },
    Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: 'Api' }, StageName: 'v1' } },
    ...functionResource('Echo'),
  },
  { Echo: ECHO },
);
const OPENAPI = join(FOLDER, 'openapi.json');
writeFileSync(OPENAPI, '{"openapi":"3.1.0"}');

describe('what the map, the resource browser and the reference ask', () => {
  let live: LiveCloud;
  beforeAll(() => {
    live = new LiveCloud({ folder: FOLDER, threads: 1 });
  });
  afterAll(() => live.stop());

  const callers = [
    {
      id: 'alice',
      label: 'alice, a customer',
      token: (ahead: number) => `token of hour ${Math.round(ahead / 3_600_000)}`,
    },
  ];
  async function asked(target: string, body?: object): Promise<readonly [number, unknown] | undefined> {
    const lent = { callers, documents: { openapi: OPENAPI, asyncapi: join(FOLDER, 'none.json') } };
    const method = body ? 'POST' : 'GET';
    const answer = await answerPage(live, lent, {
      method,
      target: `/_console${target}`,
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer && [answer.status, JSON.parse(answer.body)];
  }

  test('the deployed route is on the map and in the reference', async () => {
    expect(await asked('/map')).toMatchObject([
      200,
      { edges: [{ from: 'route:Shop/Api POST /things', to: 'function:Shop/Echo', kind: 'calls' }] },
    ]);
    expect(await asked('/reference')).toEqual([
      200,
      {
        routes: [{ api: 0, stage: 'v1', method: 'POST', path: '/things', function: 'Shop/Echo' }],
        events: [],
        callers: [{ id: 'alice', label: 'alice, a customer' }],
      },
    ]);
  });

  test('a request is sent with a token of its caller by the clock of the cloud', async () => {
    await live.forward(2 * 3_600_000);
    const sent = {
      api: 0,
      method: 'POST',
      path: '/things?a=b',
      headers: { 'content-type': 'text/plain' },
      body: 'hello',
    };
    const [, answer] = (await asked('/send', { ...sent, as: 'alice' })) ?? [];
    const { status, headers, body } = answer as { status: number; headers: object; body: string };
    expect([status, headers]).toMatchObject([201, { 'x-correlation-id': 'one' }]);
    expect(JSON.parse(body)).toEqual({
      httpMethod: 'POST',
      path: '/things',
      query: { a: 'b' },
      body: 'hello',
      by: 'Bearer token of hour 2',
    });
    const [, plain] = (await asked('/send', sent)) ?? [];
    expect((plain as { body: string }).body).not.toContain('Bearer');
  });

  test('a malformed request says what would be right', async () => {
    const sent = { api: 0, method: 'POST', path: '/things' };
    expect(await asked('/send', { ...sent, as: 'bob' })).toEqual([
      400,
      { message: "as: there is no caller 'bob'; there are: alice" },
    ]);
    expect(await asked('/send', { ...sent, api: 3 })).toEqual([
      400,
      { message: 'api: there are 1 APIs, and no number 3' },
    ]);
    expect(await asked('/send', { ...sent, path: 'things' })).toMatchObject([400, {}]);
    expect(await asked('/send', { ...sent, method: 'post' })).toMatchObject([400, {}]);
  });

  test('data is read by the names of resources', async () => {
    expect(await asked('/data')).toMatchObject([200, { tables: [{ name: 'Shop-Table', count: 0 }] }]);
    expect(await asked('/data/tables/Shop-Table?text=')).toEqual([200, { entries: [] }]);
    expect(await asked('/data/logs/Shop-Echo')).toMatchObject([200, { entries: expect.any(Array) }]);
    expect(await asked('/data/tables/None')).toEqual([404, { message: "There is no table 'None'." }]);
    expect(await asked('/data/tables/%E0%A4%A')).toMatchObject([400, {}]);
    expect(await asked('/data/secrets/None')).toBeUndefined();
  });

  test('an app without a document has an empty one', async () => {
    expect(await asked('/reference/openapi')).toEqual([200, { openapi: '3.1.0' }]);
    expect(await asked('/reference/asyncapi')).toEqual([200, {}]);
  });
});
