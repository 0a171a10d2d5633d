import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Happened } from '../engine/happenings.js';
import { arnOf, functionResource, writeAssembly } from '../support/clouds.js';
import { LocalCloud } from './local-cloud.js';

const resources = {
  Inbox: { Type: 'AWS::SQS::Queue', Properties: {} },
  InboxPolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: 'Inbox' }],
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: 'sqs:SendMessage',
            Resource: arnOf('Inbox'),
            Principal: { Service: 'events.amazonaws.com' },
          },
        ],
      },
    },
  },
  Sold: {
    Type: 'AWS::Events::Rule',
    Properties: { EventPattern: { source: ['shop'] }, Targets: [{ Id: 'Inbox', Arn: arnOf('Inbox') }] },
  },
  ...functionResource('Work'),
};
let cloud: LocalCloud;
beforeAll(async () => {
  const folder = writeAssembly(resources, { Work: 'exports.handler = async () => 1;' });
  cloud = await LocalCloud.start({ folder, port: 0, threads: 1, log: () => undefined });
});
afterAll(() => cloud.stop());

async function command(name: string, body: object): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(`${cloud.url}/_local/${name}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}
const sell = (id: string): void => {
  const detail = { id, type: 'Sold', data: { sku: id } };
  cloud.live.runInside(({ events }) => events.put('default', { source: 'shop', detailType: 'Sold', detail }));
};
const published = (): readonly Happened[] =>
  cloud.live.happenings.after(0).filter(({ outcome }) => outcome === 'published');

test('before anything is on a bus, there is nothing to send again and nothing to spoil', async () => {
  expect(await command('duplicate', { all: true })).toMatchObject({ status: 400 });
  expect(await command('poison', {})).toMatchObject({ status: 400 });
});

test('everything is sent again once, however often it was sent before', async () => {
  sell('a');
  sell('b');
  expect(await command('duplicate', { all: true })).toEqual({ status: 200, answer: { sent: 2 } });
  expect(await command('duplicate', { all: true })).toEqual({ status: 200, answer: { sent: 2 } });
  expect(published().map(({ eventId }) => eventId)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});

test('a poisoned message has an id of its own and no data', async () => {
  const { answer } = await command('poison', {});
  expect(answer).toEqual({ type: 'Sold', id: expect.stringMatching(/^[\da-f-]{36}$/) });
  cloud.live.runInside(({ events }) =>
    expect(events.accepted.at(-1)?.event.detail).toMatchObject({ data: {}, id: answer.id }),
  );
});

test('a fault that lasts ends by the clock of the cloud', async () => {
  const { answer } = await command('fault', { owner: 'Shop/Work', kind: 'crashed', milliseconds: 30_000 });
  expect(answer.faults).toEqual([
    { owner: 'Shop/Work', kind: 'crashed', left: Number.MAX_SAFE_INTEGER, until: expect.any(String) },
  ]);
  await cloud.live.forward(31_000);
  expect(cloud.live.pendingFaults).toEqual([]);
});

test('one fault is withdrawn, and the others stay', async () => {
  await command('fault', { owner: 'Shop/Work', kind: 'crashed' });
  await command('fault', { owner: 'Shop/Work', kind: 'killed-after', next: 3 });
  const { answer } = await command('calm', { owner: 'Shop/Work', kind: 'crashed' });
  expect(answer.faults).toEqual([{ owner: 'Shop/Work', kind: 'killed-after', left: 3 }]);
  expect(await command('calm', { owner: 'Shop/Work' })).toMatchObject({ status: 400 });
  expect((await command('calm', {})).answer.faults).toEqual([]);
});

test('a page for which no operator is lent says why lost and done twice are unknown', async () => {
  const { headers } = await fetch(cloud.pageUrl, { headers: { accept: 'text/html' } });
  const cookie = headers.get('set-cookie') ?? '';
  const counts = await (await fetch(`${cloud.url}/_console/counts`, { headers: { cookie } })).json();
  expect(counts).toMatchObject({
    counts: { published: { value: 7 }, lost: { unknown: expect.stringContaining('lends') } },
  });
  const status = await fetch(`${cloud.url}/_console/operations/status`, { headers: { cookie } });
  expect([status.status, await status.json()]).toEqual([404, { message: expect.stringContaining('lends') }]);
});

test('whoever asks for the newest events only gets those from now on', async () => {
  const stopped = new AbortController();
  const response = await fetch(`${cloud.url}/_local/events?after=last&kind=message`, { signal: stopped.signal });
  let text = '';
  let isSold = false;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('"eventId":"new"')) break;
    if (!isSold && text.startsWith(': nothing was missed\n\n')) {
      isSold = true;
      sell('new');
    }
  }
  stopped.abort();
  expect(text).not.toContain('"eventId":"a"');
});
