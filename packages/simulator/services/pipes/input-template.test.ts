import { expect, test } from 'vitest';
import { compileInputTemplate } from './input-template.js';

const VARIABLES = {
  'pipe-arn': 'arn:pipe',
  'pipe-name': 'mover',
  'source-arn': 'arn:source',
  'enrichment-arn': '',
  'target-arn': 'arn:target',
  'event.ingestion-time': '2026-01-05T00:00:00.000Z',
};
const message = { messageId: 'm1', body: '{"item":"lamp","count":2,"tags":["new"]}', eventSource: 'aws:sqs' };
const shape = (template: string, event: Parameters<ReturnType<typeof compileInputTemplate>>[0] = message) =>
  compileInputTemplate(template)(event, VARIABLES);

test('a variable is a JSON value, or a part of a text', () => {
  expect(
    shape('{"item": <$.body.item>, "count": <$.body.count>, "note": "<$.body.count> of \\"<$.body.item>\\""}'),
  ).toEqual({
    item: 'lamp',
    count: 2,
    note: '2 of "lamp"',
  });
  expect(shape('{"all": <$.body.tags>, "first": <$.body.tags[0]>, "each": <$.body.tags[*]>}')).toEqual({
    all: ['new'],
    first: 'new',
    each: ['new'],
  });
});

test('a template may be a text or a path alone', () => {
  expect(shape('"bought: <$.body.item>"')).toBe('bought: lamp');
  expect(shape('<$.body>')).toEqual({ item: 'lamp', count: 2, tags: ['new'] });
  expect(shape('bought: "<$.body.item>"')).toBe('bought: "lamp"');
});

test('a text in the event cannot end the text around it', () =>
  expect(shape('{"note": "<$.body>"}', { ...message, body: 'a "b"' })).toEqual({ note: 'a "b"' }));

test('reserved variables name the pipe and the whole event', () =>
  expect(
    shape('{"by": <aws.pipes.pipe-name>, "at": "<aws.pipes.event.ingestion-time>", "event": <aws.pipes.event.json>}'),
  ).toEqual({
    by: 'mover',
    at: '2026-01-05T00:00:00.000Z',
    event: { ...message, body: { item: 'lamp', count: 2, tags: ['new'] } },
  }));

test('what the event does not have is an empty text', () =>
  expect(shape('{"price": <$.body.price>, "note": "<$.body.price>"}')).toEqual({ price: '', note: '' }));

test('data of a Kinesis record are JSON for paths; others stay in Base64', () => {
  const record = (text: string) => ({ eventSource: 'aws:kinesis', data: Buffer.from(text).toString('base64') });
  expect(shape('{"id": <$.data.id>}', record('{"id":7}'))).toEqual({ id: 7 });
  expect(shape('{"data": <$.data>}', record('plain'))).toEqual({ data: Buffer.from('plain').toString('base64') });
});

test('a variable that is not known is refused by its name', () =>
  expect(() => shape('{"a": <aws.pipes.unknown>}')).toThrow('the variable <aws.pipes.unknown> of an input template'));
