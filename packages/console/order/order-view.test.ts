// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildHistory } from './build-history.js';
import { HistoryView } from './order-view.js';
import type { RecordSource } from './stored-path.js';

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded/order.json'), 'utf8'));
const history = buildHistory({ id: 'order-1', ...recorded, tracedUpTo: recorded.happenings.at(-1).number });

/** Requests of the page, as `POST /_local/duplicate {"id":"m1"}`. */
let asked: string[];
/** Paths that the page has read from the command line, with their queries. */
let read: string[];
let place: HTMLElement;
beforeEach(() => {
  asked = [];
  read = [];
  const answers: Readonly<Record<string, object>> = {
    '/_local/duplicate': { type: 'ReserveStock' },
    '/_local/stored': {
      items: [{ table: 'records', key: 'inventory-commands#0#m1', item: { pk: 'k' } }],
      lines: [],
      more: false,
    },
    '/_console/read/stored/m1': {
      items: [{ table: 'records', key: 'inventory-commands@0#m1', item: '{"status":"PROCESSED"}' }],
      lines: [],
      more: false,
      unread: 'AccessDenied',
    },
  };
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body = '' }: RequestInit = {}) => {
    if (path.startsWith('/_console/read/')) read.push(path);
    asked.push(`${method} ${path.split('?')[0]} ${body}`.trim());
    return new Response(JSON.stringify(answers[path.split('?')[0] ?? ''] ?? {}));
  });
  place = document.createElement('div');
  document.body.append(place);
});
afterEach(() => {
  render(null, place);
  place.remove();
  vi.unstubAllGlobals();
});

const show = (isLocal = true, records: RecordSource | undefined = isLocal ? 'local' : undefined) =>
  act(() => render(h(HistoryView, { history, isLocal, records }), place));
const marks = (): readonly Element[] => [...place.querySelectorAll('[data-mark]')];
const named = (text: string): Element =>
  marks().find((one) => one.getAttribute('aria-label')?.includes(text)) ?? expect.fail(`no mark is named ${text}`);
const button = (text: string): HTMLButtonElement =>
  [...place.querySelectorAll('button')].find((one) => one.textContent?.includes(text)) ??
  expect.fail(`no button ${text}`);
const press = (key: string, on: Element) =>
  act(() => void on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
const click = (on: Element) => act(() => void on.dispatchEvent(new MouseEvent('click', { bubbles: true })));
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 0)));

describe('the view of one order', () => {
  test('says how often its messages came, and what became of it, in the words of the report', () => {
    show();
    expect(place.querySelector('.counted')?.textContent).toBe(
      'Delivered 33 times: applied 26, duplicates 3, crashed 3, refused 1; done twice 0.',
    );
    expect(place.querySelector('.saga ol')?.textContent).toContain('reserve-stock done');
  });

  test('names each mark, and gives each look a form of its own', () => {
    show();
    for (const mark of marks()) expect(mark.getAttribute('aria-label')).toMatch(/\w/);
    const signs = ['applied', 'duplicate', 'crashed', 'refused', 'answer-lost'].map((look) =>
      place.querySelector(`.history .${look} .sign`)?.getAttribute('d'),
    );
    expect(new Set(signs).size).toBe(5);
    expect(signs).not.toContain(undefined);
  });

  test('has one mark in the order of the tabulator, from which arrows go along time', () => {
    show();
    const stops = () => marks().filter((one) => one.getAttribute('tabindex') === '0');
    expect(stops()).toEqual([marks()[0]]);
    press('ArrowRight', stops()[0] ?? place);
    expect(stops()).toEqual([marks()[1]]);
    expect(document.activeElement).toBe(marks()[1]);
    press('End', stops()[0] ?? place);
    expect(stops()).toEqual([marks().at(-1)]);
  });

  test('shows the record of a mark with Enter, and gives the focus back with Escape', async () => {
    show();
    const mark = named('delivery 1: refused: too old, quarantined');
    press('End', mark);
    press('Enter', mark);
    await settle();
    const panel = place.querySelector('.panel') ?? expect.fail('no panel');
    expect(document.activeElement).toBe(panel);
    expect(panel.textContent).toContain('refused: too old, quarantined');
    expect(panel.textContent).toContain('inventory-commands#0#m1');
    press('Escape', panel);
    expect(place.querySelector('.panel')).toBeNull();
    expect(document.activeElement).toBe(mark);
  });

  test('sends a message again, kills the next attempt of its consumer, and lets 36 days pass before that', async () => {
    show();
    click(named('ReserveStock at inventory-commands'));
    await settle();
    click(button('Send this message again'));
    await settle();
    expect(place.querySelector('.said')?.textContent).toBe('ReserveStock is sent again.');
    click(button('Kill the next attempt of inventory-commands'));
    await settle();
    click(button('36 days later, again'));
    await settle();
    expect(asked.filter((one) => one.startsWith('POST'))).toEqual([
      'POST /_local/duplicate {"id":"m1"}',
      'POST /_local/fault {"owner":"Inventory/OnCommands","kind":"killed-before","next":1}',
      'POST /_local/forward {"milliseconds":3110400000}',
      'POST /_local/duplicate {"id":"m1"}',
    ]);
  });

  test('has no button that changes anything where it is no local cloud', async () => {
    show(false);
    click(named('ReserveStock at inventory-commands'));
    await settle();
    expect(place.querySelector('.panel')?.textContent).toContain('ReserveStock');
    const buttons = () => [...place.querySelectorAll('button')].map((one) => one.textContent);
    expect(buttons()).toEqual(['As a list', '×']);
    click(named('orders committed OrderPlaced'));
    await settle();
    expect(buttons()).toEqual(['As a list', '×']);
    expect(asked).toEqual([]);
  });

  test('reads the records behind an attempt by the command line where that is there: by keys, at its time', async () => {
    show(false, 'commands');
    click(named('ReserveStock at inventory-commands'));
    await settle();
    expect(read).toHaveLength(1);
    const { pathname, searchParams } = new URL(read[0] ?? '', 'http://127.0.0.1');
    expect(pathname).toBe('/_console/read/stored/m1');
    expect(searchParams.get('consumer')).toBe('inventory-commands');
    const effects = history.commits.filter(({ trigger, service }) => trigger === 'm1' && service === 'inventory');
    expect(searchParams.get('with')?.split(',')).toEqual(
      effects.flatMap(({ messages }) => messages.map(({ id }) => id)),
    );
    expect(searchParams.get('at')).toMatch(/^2026-11-29T/);
    const panel = place.querySelector('.panel')?.textContent;
    expect(panel).toContain('inventory-commands@0#m1');
    expect(panel).toContain('"status": "PROCESSED"');
    expect(panel).toContain("The log can't be read: AccessDenied");
    expect(panel).not.toContain('Send this message again');
  });

  test('says the same as a list', () => {
    show();
    click(button('As a list'));
    const rows = [...place.querySelectorAll('tbody tr')].map((row) => row.textContent ?? '');
    expect(place.querySelector('svg.history')).toBeNull();
    expect(rows.filter((row) => row.includes('delivery'))).toHaveLength(34);
    expect(rows.join('\n')).toContain('refused: too old, quarantined');
  });
});
