// @vitest-environment happy-dom
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Forecast } from '../server/forecast-contract.js';
import { ForecastTable } from './forecast-table.js';

const now = Date.UTC(2026, 10, 30, 12);
const FORECAST: Forecast = {
  now,
  counts: { timer: [0, 2, 2, 2], expiry: [0, 0, 9, 1_225] },
  next: [{ kind: 'timer', owner: 'orders', at: now + 90_000, count: 2 }],
};
let place: HTMLElement;
let jumps: number[];
beforeEach(() => {
  jumps = [];
  place = document.createElement('div');
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(FORECAST)));
});
afterEach(() => {
  act(() => render(null, place));
  vi.unstubAllGlobals();
});
const show = async (isPassing = false): Promise<void> => {
  await act(() => render(h(ForecastTable, { isPassing, onJump: (span) => jumps.push(span) }), place));
  await act(() => new Promise((resolve) => setTimeout(resolve, 0)));
};
const rows = (): readonly string[] =>
  [...place.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent).join(' '));

describe('the forecast', () => {
  test('stands below the buttons that let time pass', async () => {
    await show();
    const buttons = [...place.querySelectorAll('button')];
    expect(buttons.map((one) => one.textContent)).toEqual(['+1 min', '+1 h', '+1 d', '+36 d']);
    buttons[3]?.click();
    expect(jumps).toEqual([36 * 86_400_000]);
    expect(rows()).toEqual([
      '0 2 2 2 timers of the app are due',
      '0 0 9 1,225 items expire, such as the records that recognise duplicates',
    ]);
  });

  test('says what comes first', async () => {
    await show();
    expect(place.querySelector('summary')?.textContent).toBe('Next, in 1 min 30 s: timer, orders');
  });

  test('has no button that works while time passes', async () => {
    await show(true);
    expect([...place.querySelectorAll('button')].every((one) => one.disabled)).toBe(true);
  });
});
