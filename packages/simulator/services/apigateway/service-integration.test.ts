import { describe, expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { serveGateway } from '../../cloud/machine-calls.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { FixedFaults } from '../../engine/faults.js';
import { apiMethod, requestApi } from '../../support/apis.js';
import { allowStatement, arnOf, createCloud, queuePolicy, TABLE } from '../../support/clouds.js';
import { NotModelled } from '../../wire/operation.js';
import { runTemplates } from './velocity.js';

type Properties = { [name: string]: Json };
const join = (...parts: Json[]): Json => ({ 'Fn::Join': ['', parts] });
const uri = (rest: Json): Json => join('arn:aws:apigateway:eu-west-1:', rest);
const FORM = { 'integration.request.header.Content-Type': "'application/x-www-form-urlencoded'" };

/** An API whose `POST /` calls a service, with a role that may do these actions. */
const create = (integration: Properties, actions: readonly string[], options = {}) =>
  createCloud(
    {
      Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'api' } },
      Stage: {
        Type: 'AWS::ApiGateway::Stage',
        Properties: { RestApiId: { Ref: 'Api' }, StageName: 'dev', DeploymentId: 'd1' },
      },
      Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'orders' } },
      Topic: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'sold' } },
      Heard: {
        Type: 'AWS::SNS::Subscription',
        Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'sqs', Endpoint: arnOf('Queue'), RawMessageDelivery: true },
      },
      MayHear: queuePolicy('sns'),
      Table: { ...TABLE, Properties: { ...TABLE.Properties, TableName: 'orders' } },
      Role: { Type: 'AWS::IAM::Role', Properties: {} },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement: [allowStatement(actions, '*')] } },
      },
      Post: apiMethod(undefined, 'POST', {
        Integration: {
          Type: 'AWS',
          IntegrationHttpMethod: 'POST',
          Credentials: arnOf('Role'),
          IntegrationResponses: [
            { StatusCode: '202', ResponseTemplates: { 'application/json': '{"accepted":true}' } },
            {
              StatusCode: '400',
              SelectionPattern: '4\\d{2}',
              ResponseTemplates: { 'application/json': '{"refused":$input.json(\'$\')}' },
            },
          ],
          ...integration,
        },
        MethodResponses: [{ StatusCode: '202' }, { StatusCode: '400' }],
      }),
    },
    {},
    options,
  );
const post = (body: string, more = {}) => ({
  method: 'POST',
  path: '/',
  headers: { 'Content-Type': 'application/json' },
  body,
  ...more,
});
const messages = (cloud: ReturnType<typeof create>) =>
  cloud
    .queue('Shop/Queue')
    .listMessages()
    .map(({ body }) => body);

const toQueue: Properties = {
  Uri: uri('sqs:path/123456789012/orders'),
  PassthroughBehavior: 'NEVER',
  RequestParameters: FORM,
  RequestTemplates: { 'application/json': 'Action=SendMessage&MessageBody=$util.urlEncode($input.body)' },
};

describe('services', () => {
  test('SQS gets what a template writes, in the Query protocol', async () => {
    const cloud = create(toQueue, ['sqs:SendMessage']);
    expect(await requestApi(cloud, post('{"sku":"tea & milk"}'))).toMatchObject({
      status: 202,
      body: '{"accepted":true}',
    });
    expect(messages(cloud)).toEqual(['{"sku":"tea & milk"}']);
  });

  test('SQS gets parameters that the method maps', async () => {
    const parameters = {
      'integration.request.querystring.Action': "'SendMessage'",
      'integration.request.querystring.MessageBody': 'method.request.body',
    };
    const cloud = create({ Uri: toQueue.Uri as Json, RequestParameters: parameters }, ['sqs:SendMessage']);
    expect((await requestApi(cloud, post('as it is'))).status).toBe(202);
    expect(messages(cloud)).toEqual(['as it is']);
  });

  test('SNS publishes', async () => {
    const template = join(
      "Action=Publish&TopicArn=$util.urlEncode('",
      { Ref: 'Topic' },
      "')&Message=$util.urlEncode($input.body)",
    );
    const Uri = uri('sns:path/123456789012/sold');
    const cloud = create({ Uri, RequestParameters: FORM, RequestTemplates: { 'application/json': template } }, [
      'sns:Publish',
    ]);
    expect((await requestApi(cloud, post('hello'))).status).toBe(202);
    await cloud.world.settle();
    expect(messages(cloud)).toEqual(['hello']);
  });

  test('DynamoDB puts an item, from fields, a loop and the context', async () => {
    const template = `#set($body = $input.path('$'))
{ "TableName": "orders", "Item": {
  "pk": { "S": "$body.id" }, "request": { "S": "$context.requestId" },
  "lines": { "L": [ #foreach($line in $body.lines) { "S": "$line.sku" }#if($foreach.hasNext),#end #end ] },
  "agent": { "S": "$input.params('X-Agent')" } } }`;
    const cloud = create({ Uri: uri('dynamodb:action/PutItem'), RequestTemplates: { 'application/json': template } }, [
      'dynamodb:PutItem',
    ]);
    const headers = { 'Content-Type': 'application/json', 'X-Agent': 'me' };
    const body = JSON.stringify({ id: 'o1', lines: [{ sku: 'a' }, { sku: 'b' }] });
    expect((await requestApi(cloud, post(body, { headers }))).status).toBe(202);
    expect(cloud.listItems('Shop/Table')).toMatchObject([{ pk: 'o1', lines: ['a', 'b'], agent: 'me' }]);
  });

  test('EventBridge gets events, by the operation in a header too', async () => {
    const template = `{ "Entries": [{ "Source": "shop", "DetailType": "Sold", "Detail": "$util.escapeJavaScript($input.body)" }] }`;
    for (const more of [
      { Uri: uri('events:action/PutEvents') },
      {
        Uri: uri('events:path//'),
        RequestParameters: {
          'integration.request.header.X-Amz-Target': "'AWSEvents.PutEvents'",
          'integration.request.header.Content-Type': "'application/x-amz-json-1.1'",
        },
      },
    ]) {
      const cloud = create({ ...more, RequestTemplates: { 'application/json': template } }, ['events:PutEvents']);
      expect((await requestApi(cloud, post('{"id":"1/2"}'))).status).toBe(202);
      expect(cloud.events.accepted.at(-1)?.event).toMatchObject({ source: 'shop', detail: { id: '1/2' } });
    }
  });
});

describe('refusals', () => {
  test('a role without the right gets the answer of its pattern', async () => {
    const cloud = create(toQueue, ['sqs:DeleteMessage']);
    const { status, body } = await requestApi(cloud, post('{}'));
    expect([status, JSON.parse(body).refused.Error.Code]).toEqual([400, 'AccessDeniedException']);
    expect(messages(cloud)).toEqual([]);
  });

  test('another media type is a 415 unless it may pass', async () => {
    const cloud = create(toQueue, ['sqs:SendMessage']);
    const { status } = await requestApi(cloud, post('x', { headers: { 'Content-Type': 'text/plain' } }));
    expect(status).toBe(415);
  });

  test('a call may be refused, or take effect while its answer is lost', async () => {
    const play = async (kind: 'refused' | 'answer-lost') => {
      const faults = new FixedFaults([{ point: 'Shop/Api call 1', kind }]);
      const cloud = create(toQueue, ['sqs:SendMessage'], { faults });
      const { status, body } = await requestApi(cloud, post('{}'));
      return [status, body, messages(cloud).length];
    };
    expect(await play('refused')).toEqual([400, expect.stringContaining('"Code":"RequestThrottled"'), 0]);
    expect(await play('answer-lost')).toEqual([504, expect.stringContaining('timed out'), 1]);
  });

  test.each([
    [{ ...toQueue, Uri: uri('kinesis:action/PutRecord') }, 'integration with arn:aws:apigateway:eu-west-1:kinesis'],
    [{ ...toQueue, Credentials: 'arn:aws:iam::*:user/*' }, 'without a role'],
    [{ ...toQueue, RequestTemplates: { 'application/json': '#if(' } }, 'the template is malformed'],
    [
      { ...toQueue, RequestParameters: { 'integration.request.path.x': "'1'" } },
      "integration.request.path.x isn't modelled",
    ],
  ])('what has no model is refused by name: %#', (integration, message) =>
    expect(() => create(integration as Properties, [])).toThrow(message),
  );
});

test.each([
  ['Shop/Api call 1', { RequestTemplates: { 'application/json': "$input.path('sku')" } }],
  [
    'the answer of Shop/Api call 1',
    { IntegrationResponses: [{ StatusCode: '202', ResponseTemplates: { 'application/json': "$input.path('sku')" } }] },
  ],
])('a template without a model ends the history: %s', async (what, integration) => {
  const asked = requestApi(create({ ...toQueue, ...integration }, ['sqs:SendMessage']), post('{"sku":"tea"}'));
  await expect(asked).rejects.toThrow(
    new NotModelled(`${what} can't be made: the path 'sku' doesn't begin with $, in $input.path('sku')`),
  );
});

test('a local cloud continues after a template without a model, and says so', () => {
  const lines: string[] = [];
  const { unmodelled } = serveGateway({} as Parameters<typeof serveGateway>[0], (line) => lines.push(line));
  const world = { note: () => undefined } as unknown as EventLoop;
  const made = runTemplates({ world, unmodelled }, 'the event of /', () => {
    throw new NotModelled("the path 'sku' doesn't begin with $");
  });
  expect(made).toBe('DEFAULT_5XX');
  expect(lines).toEqual([
    "the event of / can't be made: the path 'sku' doesn't begin with $. The simulator has no model of this.",
  ]);
});
