// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildHistory } from '../order/build-history.js';
import { facts } from '../page/facts.js';
import type { ConsoleFacts } from '../server/contract.js';
import { StartView } from './start-view.js';
import { chooseVictim, done, followed, listSteps, takeStep } from './steps.js';

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, '../order/recorded/order.json'), 'utf8'));
const history = buildHistory({ id: 'order-1', ...recorded, tracedUpTo: recorded.happenings.at(-1).number });
const toy = { id: 'order', label: 'Place an order', about: '' };
const orderly: ConsoleFacts = { name: 'Orderly', environment: 'dev', local: true, toys: [toy], promise: 'Once only' };

let asked: string[];
let place: HTMLElement;
beforeEach(() => {
  asked = [];
  followed.value = '';
  done.value = new Set();
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body = '' }: RequestInit = {}) => {
    asked.push(`${method} ${path} ${body}`.trim());
    if (path.startsWith('/_console/operations/trace/')) return new Response(JSON.stringify(recorded.trace));
    if (path.startsWith('/_local/events')) return new Response(JSON.stringify({ events: recorded.happenings }));
    if (path.startsWith('/_console/counted/duplicates'))
      return new Response(JSON.stringify({ items: [{ id: 'c1' }, { id: 'c2' }, { id: 'c2' }] }));
    if (path.startsWith('/_console/toys/')) return new Response(JSON.stringify({ text: 'Ordered.', id: 'order-2' }));
    return new Response('{}');
  });
  place = document.createElement('div');
  document.body.append(place);
});
afterEach(() => {
  act(() => render(null, place));
  place.remove();
  vi.unstubAllGlobals();
});

const posts = (): readonly string[] => asked.filter((one) => one.startsWith('POST'));
const step = (name: string) => listSteps(toy).find((one) => one.name === name) ?? expect.fail(`no step ${name}`);
/** Waits until something holds; what the page asks for is answered in the meantime. */
const until = (holds: () => void) =>
  vi.waitFor(async () => {
    await act(async () => undefined);
    holds();
  });
const button = (text: string): HTMLButtonElement =>
  [...place.querySelectorAll('button')].find((one) => one.textContent?.includes(text)) ?? expect.fail(`no ${text}`);

describe('the first view', () => {
  test('says what the app promises, and offers the first step first', async () => {
    facts.value = orderly;
    await act(() => render(h(StartView, {}), place));
    expect(place.querySelector('h1')?.textContent).toBe('Once only');
    expect(place.querySelector('.next')?.textContent).toContain('Place an order');
    expect(button('Kill a function').disabled).toBe(true);
  });

  test('promises nothing for an app that says nothing, and has no button for what it does not offer', async () => {
    facts.value = { name: 'Shop', environment: 'local', local: true, toys: [] };
    await act(() => render(h(StartView, {}), place));
    expect(place.querySelector('h1')?.textContent).toContain('See what Shop does');
    expect(place.querySelector('.next')?.textContent).toContain('Send all its messages again');
  });

  test('shows at once what most of the newest duplicates belong to', async () => {
    facts.value = orderly;
    await act(() => render(h(StartView, {}), place));
    await until(() => expect(place.querySelector('svg.history')).not.toBeNull());
    expect(asked).toContain('GET /_local/events?kind=message&correlation=c2');
    expect(place.querySelectorAll('h1')).toHaveLength(1);
  });

  test('a step that is done says so, and the next one is offered', async () => {
    facts.value = orderly;
    await act(() => render(h(StartView, {}), place));
    act(() => button('Place an order').click());
    await until(() => expect(place.querySelector('.said')?.textContent).toBe('Ordered.'));
    expect(place.querySelector('.steps li')?.textContent).toContain('Done.');
    expect(place.querySelector('.next')?.textContent).toContain('Send all its messages again');
    expect(followed.value).toBe('order-2');
  });
});

describe('the steps', () => {
  test('send each message again once that a consumer has got', async () => {
    const said = await takeStep(step('again'), toy, history);
    const ids = new Set(history.deliveries.map(({ eventId }) => eventId));
    expect(said).toBe(`${ids.size} messages are on their way a second time.`);
    expect(posts()).toEqual([...ids].map((id) => `POST /_local/duplicate ${JSON.stringify({ id })}`));
  });

  test('send what is on a bus, and leave out what is not published yet', async () => {
    const answers = vi.mocked(fetch);
    vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
      const isFirst = posts().length === 0;
      const answer = await answers(path, init);
      return isFirst ? new Response('{"message":"no bus has taken it"}', { status: 400 }) : answer;
    });
    const all = new Set(history.deliveries.map(({ eventId }) => eventId)).size;
    expect(await takeStep(step('again'), toy, history)).toBe(`${all - 1} messages are on their way a second time.`);
  });

  test('kill a function that works on a command, and then give it that work', async () => {
    const { owner } = chooseVictim(history);
    await takeStep(step('kill'), toy, history);
    expect(posts()).toEqual([
      `POST /_local/fault ${JSON.stringify({ owner, kind: 'killed-before', next: 1 })}`,
      'POST /_console/toys/order {}',
    ]);
  });

  test('prefer a command: all that follows waits for it', () => {
    const command = history.deliveries.filter(({ type, owner }) => type === 'ReserveStock' && owner !== undefined);
    const events = history.deliveries.filter(({ type, owner }) => type === 'OrderPlaced' && owner !== undefined);
    expect(events.length).toBeGreaterThan(0);
    const victim = chooseVictim({ ...history, deliveries: [...command.slice(0, 1), ...events, ...events] });
    expect(victim.type).toBe('ReserveStock');
  });

  test('kill with a message that comes again, where the app offers nothing', async () => {
    const { eventId } = chooseVictim(history);
    await takeStep(step('kill'), undefined, history);
    expect(posts().at(-1)).toBe(`POST /_local/duplicate ${JSON.stringify({ id: eventId })}`);
  });

  test('refuse to kill where no function has worked', () =>
    expect(() => chooseVictim(undefined)).toThrow('there is nobody to kill'));

  test('let a minute pass', async () => {
    await takeStep(step('minute'), toy, history);
    expect(posts()).toEqual(['POST /_local/forward {"milliseconds":60000}']);
  });
});
