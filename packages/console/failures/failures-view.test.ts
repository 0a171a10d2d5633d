// @vitest-environment happy-dom
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FailuresView } from './failures-view.js';

const cause = (at: number) => ({
  id: `c${at}`,
  kind: 'failure',
  error: 'StockError',
  message: `shelf ${at} is empty`,
  publisher: 'orders',
  type: 'ReserveStock',
  count: 1_000 - at,
  more: false,
  groups: [{ id: 'g', service: 'inventory', consumer: 'inventory-commands', count: 1 }],
  trend: Array.from({ length: 24 }, (_, hour) => hour),
  lastHour: 23,
  older: 0,
  unknown: 0,
  subjects: { count: 0, newest: [] },
  next: 'failures redrive',
  close: 'failures discard',
});

let place: HTMLElement;
beforeEach(() => {
  place = document.createElement('div');
  document.body.append(place);
});
afterEach(() => {
  render(null, place);
  place.remove();
  vi.unstubAllGlobals();
});

/** Shows so many causes. @param id cause that the address names */
async function show(count: number, id = ''): Promise<void> {
  vi.stubGlobal('fetch', async () => {
    const causes = Array.from({ length: count }, (_, at) => cause(at));
    return new Response(JSON.stringify({ causes, unreadable: 0 }));
  });
  await act(() => render(h(FailuresView, { id }), place));
  await vi.waitFor(() => expect(place.querySelector('.cards')).not.toBeNull());
}
const cards = (): readonly Element[] => [...place.querySelectorAll('.cause')];
const button = () => [...place.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Show 50 more'));

test('a few causes are shown at once, each with its last 24 hours as bars', async () => {
  await show(3);
  expect(cards()).toHaveLength(3);
  expect(place.querySelector('input[type=search]')).toBeNull();
  expect(cards()[0]?.querySelectorAll('.trend rect')).toHaveLength(24);
  expect(cards()[0]?.querySelector('.trend')?.getAttribute('aria-label')).toBe(
    '276 in 24 hours, at most 23 in one of them',
  );
});

test('of a thousand causes 50 are shown, and 50 more with each press', async () => {
  await show(1_000);
  expect(cards()).toHaveLength(50);
  expect(place.textContent).toContain('50 of 1,000 are shown.');
  await act(() => button()?.click());
  expect(cards()).toHaveLength(100);
});

test('a search finds a cause among those that are not shown, by its message or its consumer', async () => {
  await show(1_000);
  const search = place.querySelector<HTMLInputElement>('input[type=search]') ?? expect.fail('no search');
  const write = (text: string) =>
    act(() => {
      search.value = text;
      search.dispatchEvent(new Event('input', { bubbles: true }));
    });
  await write('Shelf 987 ');
  expect(cards().map((one) => one.querySelector('p')?.textContent)).toEqual(['shelf 987 is empty']);
  expect(button()).toBeUndefined();
  await write('inventory-commands');
  expect(cards()).toHaveLength(50);
});

test('the cause that the address names is shown and open, wherever it is', async () => {
  await show(1_000, 'c700');
  expect(cards()).toHaveLength(51);
  expect(cards().at(-1)?.querySelector('details')?.open).toBe(true);
});
