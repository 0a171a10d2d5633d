import { expect, test } from 'vitest';
import { loadDeployment } from '../cloud/cloud.js';
import { apiMethod, createApi, integrationUri } from '../support/apis.js';
import { arnOf, CLIENT, functionResource } from '../support/clouds.js';
import { writeQueueShop } from '../support/queue-shop.js';
import { makeOracle } from './oracle.js';

const post = (id: string) => ({ name: `POST / ${id}`, method: 'POST', path: '/', headers: {}, body: `{"id":"${id}"}` });
const wait = { name: 'wait rest', step: { wait: 'rest' as const } };

/** Plays requests with a worker that logs an error of its own, and with code of the API's function for the order "desk". */
async function play(desk: string, requests: readonly Parameters<typeof makeOracle>[1][number][]): Promise<string> {
  const worker = `exports.handler = async () => console.error('the stock is low');`;
  const deployment = loadDeployment(writeQueueShop(worker));
  deployment.replace(
    'Shop/Place',
    `${CLIENT}
    exports.handler = async ({ body }) => {
      if (body.includes('desk')) { ${desk} }
      await call('AmazonSQS.SendMessage', { QueueUrl: process.env.QUEUE, MessageBody: body });
      return { statusCode: 202, body: '' };
    };`,
  );
  return makeOracle(deployment, requests).then(
    () => '',
    ({ message }: Error) => message,
  );
}

test("the error of the function that served the request is named, not another function's of the same time", async () => {
  const desk = `await new Promise((resolve) => setTimeout(resolve, 5_000));
    console.error('no such order');
    return { statusCode: 500, body: '{}' };`;
  expect(await play(desk, [post('lamp'), post('desk')])).toBe(
    "the app doesn't answer even without faults: POST / desk -> 500; first error: Shop/Place: no such order",
  );
});

test('an error that another request has logged before is no cause: the answer is shown', async () => {
  const desk = `return { statusCode: 500, body: '{"message":"' + 'x'.repeat(300) + '"}' };`;
  expect(await play(desk, [post('lamp'), wait, post('desk')])).toBe(
    "the app doesn't answer even without faults: POST / desk -> 500; first error: its functions have logged none; " +
      `its answer: 500 {"message":"${'x'.repeat(184)}`,
  );
});

test('an invocation that ends by an error which nobody logs has one', async () => {
  expect(await play('process.exit(1);', [post('lamp'), wait, post('desk')])).toMatch(
    /POST \/ desk -> 502; first error: Shop\/Place: Runtime.ExitError/,
  );
});

test('a request that the template of an API makes no call of has the error of its template', async () => {
  const Integration = {
    Type: 'AWS',
    IntegrationHttpMethod: 'POST',
    Uri: 'arn:aws:apigateway:eu-west-1:dynamodb:action/PutItem',
    Credentials: arnOf('OwnRole'),
    RequestTemplates: { 'application/json': '{"id":' },
    IntegrationResponses: [{ StatusCode: '200' }],
  };
  const own = functionResource('Own') as unknown as Parameters<typeof createApi>[0];
  const { deployment } = createApi({
    ...own,
    Post: apiMethod(undefined, 'POST', { Integration, MethodResponses: [{ StatusCode: '200' }] }),
  });
  await expect(makeOracle(deployment, [post('lamp')])).rejects.toThrow(
    /POST \/ lamp -> 502; first error: Shop\/Api call 1 can't be made: .*JSON.*; its answer: 502 /,
  );
});

test('a template that makes no event of a function is the error', async () => {
  const Integration = {
    Type: 'AWS',
    IntegrationHttpMethod: 'POST',
    Uri: integrationUri('Echo'),
    RequestTemplates: { 'application/json': '{"id":' },
    IntegrationResponses: [{ StatusCode: '200' }],
  };
  const { deployment } = createApi({
    Post: apiMethod(undefined, 'POST', { Integration, MethodResponses: [{ StatusCode: '200' }] }),
  });
  await expect(makeOracle(deployment, [post('lamp')])).rejects.toThrow(/first error: the event of \/ can't be made: /);
});
