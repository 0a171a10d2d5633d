import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Happened } from '../engine/happenings.js';
import { Happenings } from '../engine/happenings.js';
import { allowStatement, arnOf, functionResource, QUEUE_RIGHTS, writeAssembly } from '../support/clouds.js';
import { LocalCloud } from './local-cloud.js';

/** Logs what it does with each message, as a consumer does: it has applied what it sees first. */
const CONSUMES = `const seen = new Set();
exports.handler = async ({ Records }) => {
  const failed = [];
  for (const { messageId, body } of Records) {
    const { id } = JSON.parse(body).detail;
    if (id === 'late') { failed.push({ itemIdentifier: messageId });
      console.log(JSON.stringify({ message: 'retrying', messageId, name: 'Busy', text: 'not yet' })); continue; }
    if (id === 'silent') continue;
    console.log(JSON.stringify({ message: seen.has(id) ? 'duplicate' : 'applied', messageId }));
    seen.add(id);
  }
  return { batchItemFailures: failed };
};`;

const resources = {
  Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
  ...functionResource('Consume', [allowStatement(QUEUE_RIGHTS, arnOf('Queue'))]),
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: arnOf('Queue'),
      FunctionName: arnOf('Consume'),
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    },
  },
};

let cloud: LocalCloud;
beforeAll(async () => {
  cloud = await LocalCloud.start({
    folder: writeAssembly(resources, { Consume: CONSUMES }),
    port: 0,
    threads: 1,
    log: () => undefined,
  });
});
afterAll(() => cloud.stop());

const send = (id: string): void => {
  const detail = { id, type: 'Thing', subject: 'Thing/7', sequence: 3, correlationid: `c-${id}` };
  cloud.live.runInside(({ queues }) => [...queues.values()][0]?.send({ body: JSON.stringify({ detail }) }));
};

/** Reads the stream until an event fits. @returns all events up to it, with the ids by which the stream is resumed */
async function readUntil(
  fits: (happened: Happened) => boolean,
  { query = '', headers = {} }: { readonly query?: string; readonly headers?: Record<string, string> } = {},
): Promise<{ readonly events: readonly Happened[]; readonly ids: readonly string[]; readonly text: string }> {
  const response = await fetch(`${cloud.url}/_local/events${query}`, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    // A chunk may end within a line.
    const events = [...text.matchAll(/^data: (\{"number.*)\n/gm)].map(([, data]) => JSON.parse(data ?? '') as Happened);
    if (!events.some(fits)) continue;
    return { events, text, ids: [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '') };
  }
  throw new Error('the stream has ended');
}

const outcomesOf = (events: readonly Happened[], id: string): readonly (string | undefined)[] =>
  events.filter(({ kind, eventId }) => kind === 'delivery' && eventId === id).map(({ outcome }) => outcome);
const is = (id: string, outcome: string) => (one: Happened) => one.eventId === id && one.outcome === outcome;

test('a message is seen on its way: sent, given to a function, applied and deleted', async () => {
  send('plain');
  const { events } = await readUntil(is('plain', 'deleted'));
  const own = events.filter(({ eventId }) => eventId === 'plain');
  expect(own.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
    'message sent',
    'delivery began',
    'delivery applied',
    'message deleted',
  ]);
  expect(own[2]).toMatchObject({
    owner: 'Shop/Consume',
    receiveCount: 1,
    invocation: 'Shop/Consume invocation 1',
    type: 'Thing',
    subject: 'Thing/7',
    version: 3,
    correlationId: 'c-plain',
  });
});

test('what comes once more is a duplicate, and what nobody logs is done', async () => {
  send('plain');
  expect(outcomesOf((await readUntil(is('plain', 'duplicate'))).events, 'plain')).toContain('duplicate');
  send('silent');
  expect(outcomesOf((await readUntil(is('silent', 'deleted'))).events, 'silent')).toEqual(['began', 'done']);
});

test('a message that comes again later is postponed, with its error', async () => {
  send('late');
  const { events } = await readUntil(is('late', 'postponed'));
  expect(events.find(is('late', 'postponed'))).toMatchObject({ error: 'Busy: not yet' });
});

test('a crash and a lost answer are seen at each message of the invocation, beside the fault', async () => {
  cloud.live.injectFault('Shop/Consume', 'crashed');
  send('crashed');
  const { events } = await readUntil(is('crashed', 'crashed'));
  expect(outcomesOf(events, 'crashed')).toEqual(['began', 'crashed']);
  expect(events.find(({ kind }) => kind === 'fault')).toMatchObject({ owner: 'Shop/Consume', fault: 'crashed' });
  cloud.live.injectFault('Shop/Consume', 'result-lost');
  send('lost');
  const lost = (await readUntil(is('lost', 'answer lost'))).events;
  expect(outcomesOf(lost, 'lost')).toEqual(['began', 'applied', 'answer lost']);
});

test('a reader continues where it was, and chooses by kind and correlation id', async () => {
  const first = await readUntil(is('plain', 'deleted'));
  const last = first.ids.at(-1) ?? '';
  send('resumed');
  const { events, text } = await readUntil(is('resumed', 'applied'), { headers: { 'last-event-id': last } });
  expect(events[0]?.number).toBe((first.events.at(-1)?.number ?? 0) + 1);
  expect(text).not.toContain('event: gap');
  const chosen = await readUntil(is('resumed', 'applied'), { query: '?kind=delivery&correlation=c-resumed' });
  expect(chosen.events.map(({ outcome }) => outcome)).toEqual(['began', 'applied']);
});

test('a reader of an earlier cloud learns that it has missed something', async () => {
  const { text } = await readUntil(is('plain', 'applied'), { headers: { 'last-event-id': 'old.7' } });
  expect(text.startsWith('event: gap')).toBe(true);
});

test('a page is read as JSON, and continues', async () => {
  const ask = async (query: string): Promise<{ events: readonly Happened[]; last: string }> =>
    (await fetch(`${cloud.url}/_local/events${query}`, { headers: { accept: 'application/json' } })).json() as never;
  const { events, last } = await ask('?kind=delivery');
  expect(events.length).toBeGreaterThan(5);
  expect((await ask(`?after=${last}&kind=delivery`)).events).toEqual([]);
});

test.each([
  [
    '?kind=noise',
    "kind: 'noise' is unknown; there are call, invocation, message, delivery, record, fault, timer, time",
  ],
  ['?order=1', 'order: unknown; there are after, kind, correlation'],
  ['?after=first', "after: 'first' is no id of an event: the id of the last one was expected"],
])('a wrong question is answered with what would be right: %s', async (query, message) => {
  const response = await fetch(`${cloud.url}/_local/events${query}`);
  expect([response.status, await response.json()]).toEqual([400, { message }]);
});

test('a page of another origin reads nothing', async () => {
  const response = await fetch(`${cloud.url}/_local/events`, { headers: { origin: 'https://shop.example' } });
  expect(response.status).toBe(403);
  await response.arrayBuffer();
});

test('forwarded time is seen', async () => {
  await cloud.live.forward(3_600_000);
  const { events } = await readUntil(({ outcome }) => outcome === 'forwarded');
  expect(events.filter(({ kind }) => kind === 'time').map(({ outcome }) => outcome)).toEqual(['forwards', 'forwarded']);
});

test('the oldest happenings are forgotten, and the list says from where on it remembers', () => {
  const happenings = new Happenings(3);
  for (const id of ['a', 'b', 'c', 'd']) happenings.add(0, { kind: 'call', owner: 'Shop/Consume', id });
  expect(happenings.first).toBe(2);
  expect(happenings.after(0).map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  expect(happenings.after(3).map(({ id }) => id)).toEqual(['d']);
});
