import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultProxy, startProxy } from '../support/proxy.js';
import { ProxyControl } from '../support/proxy-control.js';

interface Seen {
  readonly url: string;
  readonly host: string;
  readonly body: Record<string, unknown>;
}

let upstream: Server;
let seen: Seen[] = [];
let answer: (request: Seen) => { status?: number; body: unknown };
let proxy: FaultProxy;
let control: ProxyControl;
let caller: ChildProcess;

beforeEach(async () => {
  seen = [];
  answer = () => ({ body: {} });
  upstream = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const one = { url: request.url ?? '', host: request.headers.host ?? '', body: JSON.parse(text || '{}') };
    seen.push(one);
    const { status = 200, body } = answer(one);
    response.writeHead(status).end(JSON.stringify(body));
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  proxy = await startProxy();
  proxy.forwardTo(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  control = new ProxyControl(proxy.url);
  caller = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
});

afterEach(async () => {
  caller.kill('SIGKILL');
  await proxy.stop();
  upstream.close();
});

const call = async (target: string, body: object = {}, functionName = 'orders-PlaceOrder') => {
  const response = await fetch(`${proxy.url}/${functionName}/${caller.pid}/some/path?x=1`, {
    method: 'POST',
    headers: { 'x-amz-target': target },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const putItem = (body: object = {}, functionName?: string) => call('DynamoDB_20120810.PutItem', body, functionName);
const putEvents = (...details: string[]) =>
  call('AWSEvents.PutEvents', { Entries: details.map((Detail) => ({ Source: 's', DetailType: 'T', Detail })) });

describe('the proxy', () => {
  test('forwards without its prefix, with the host of the endpoint', async () => {
    answer = () => ({ status: 418, body: { tea: 'yes' } });
    expect(await call('AmazonSQS.SendMessage', { a: 'ä' })).toEqual({ status: 418, body: { tea: 'yes' } });
    const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    expect(seen).toEqual([{ url: '/some/path?x=1', host, body: { a: 'ä' } }]);
  });

  test('keeps a journal with what DynamoDB calls consumed, without the function asking', async () => {
    const ConsumedCapacity = { TableName: 't', CapacityUnits: 2, Table: { CapacityUnits: 1 } };
    answer = ({ body }) => ({ body: body.ReturnConsumedCapacity ? { ConsumedCapacity } : {} });
    await putItem();
    await call('AmazonSQS.SendMessage', {}, 'inventory-Relay');
    expect(await control.calls()).toMatchObject([
      {
        n: 1,
        functionName: 'orders-PlaceOrder',
        service: 'DynamoDB',
        operation: 'PutItem',
        status: 200,
        capacity: [ConsumedCapacity],
      },
      { n: 2, functionName: 'inventory-Relay', service: 'AmazonSQS', operation: 'SendMessage', status: 200 },
    ]);
    expect(await control.calls({ functionName: 'inventory-Relay' })).toHaveLength(1);
    expect(await control.calls({ since: 1 })).toHaveLength(1);
    await control.reset();
    expect(await control.calls()).toEqual([]);
  });

  test('kills the caller before a write reaches the endpoint', async () => {
    await control.crashBeforeWrite('orders-PlaceOrder');
    const gone = once(caller, 'exit');
    await expect(putItem()).rejects.toThrow();
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(seen).toEqual([]);
  });

  test('kills the caller once, after the write that was configured', async () => {
    await control.crashAfterWrite('orders-PlaceOrder', { including: 'order-2' });
    await putItem({ pk: 'order-1' });
    await putItem({ pk: 'order-2' }, 'inventory-Reserve');
    const gone = once(caller, 'exit');
    await expect(putItem({ pk: 'order-2' })).rejects.toThrow();
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(seen).toHaveLength(3);
    expect(await putItem({ pk: 'order-2' })).toMatchObject({ status: 200 });
    expect((await control.calls()).map(({ fault }) => fault)).toEqual([
      undefined,
      undefined,
      'crash-after-write',
      undefined,
    ]);
  });

  test('a refused write does not count', async () => {
    answer = () => ({ status: 400, body: { __type: 'ConditionalCheckFailedException' } });
    await control.crashAfterWrite('orders-PlaceOrder');
    expect(await putItem()).toMatchObject({ status: 400 });
  });

  test('executes a call and loses its answer', async () => {
    await control.loseAnswer('orders-PlaceOrder', 'PutItem');
    await expect(putItem()).rejects.toThrow();
    expect(seen).toHaveLength(1);
    expect(await putItem()).toMatchObject({ status: 200 });
    expect(caller.exitCode).toBeNull();
  });

  test('throttles a call without executing it', async () => {
    await control.throttle('orders-PlaceOrder', 'PutItem', { times: 2 });
    expect([(await putItem()).status, (await putItem()).status, (await putItem()).status]).toEqual([400, 400, 200]);
    expect(seen).toHaveLength(1);
  });

  test('refuses chosen entries, and merges the others’ answers in their places', async () => {
    await control.failEntries({ match: { including: 'bad' }, times: 2, errorCode: 'ThrottlingException' });
    answer = ({ body }) => ({
      body: {
        FailedEntryCount: 0,
        Entries: (body.Entries as { Detail: string }[]).map(({ Detail }) => ({ EventId: Detail })),
      },
    });
    const refused = { ErrorCode: 'ThrottlingException', ErrorMessage: 'refused by the proxy' };
    expect((await putEvents('a', 'bad', 'b')).body).toEqual({
      FailedEntryCount: 1,
      Entries: [{ EventId: 'a' }, refused, { EventId: 'b' }],
    });
    expect((await putEvents('bad')).body).toEqual({ FailedEntryCount: 1, Entries: [refused] });
    expect((await putEvents('bad')).body).toEqual({ FailedEntryCount: 0, Entries: [{ EventId: 'bad' }] });
    expect(seen).toHaveLength(2);
  });
});
