// @vitest-environment happy-dom
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handleKeys, KeyHelp } from './keys.js';

let place: HTMLElement;
beforeAll(() => {
  handleKeys();
  place = document.createElement('div');
  document.body.append(place);
  act(() => render(h(KeyHelp, {}), place));
});
afterAll(() => place.remove());

let list: HTMLElement;
beforeEach(() => {
  list?.remove();
  list = document.createElement('div');
  list.innerHTML = `
    <input id="search" />
    <nav><ul><li><a href="#/a">a</a></li><li><a href="#/b">b</a></li></ul></nav>
    <table><tbody>
      <tr><td><a href="#/1" id="one">1</a></td><td><button id="one-2">x</button></td></tr>
      <tr><td>nothing to do</td></tr>
      <tr><td><a href="#/2" id="two">2</a></td><td><button id="two-2">x</button></td></tr>
    </tbody></table>`;
  document.body.append(list);
});
const at = (id: string): HTMLElement => document.getElementById(id) ?? expect.fail(`no ${id}`);
const press = (key: string, from: HTMLElement = document.body): string => {
  from.focus();
  act(() => void from.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })));
  return document.activeElement?.id ?? '';
};

describe('the keys of the page', () => {
  test('a slash goes to the search, from anywhere but a field', () => {
    expect(press('/', at('one'))).toBe('search');
    expect(press('/', at('search'))).toBe('search');
  });

  test('a question mark shows them, and a field keeps it', () => {
    const dialog = place.querySelector('dialog') ?? expect.fail('no dialog');
    press('?', at('search'));
    expect(dialog.open).toBe(false);
    press('?', at('one'));
    expect(dialog.open).toBe(true);
    act(() => dialog.close());
  });

  test('arrows go to the same place of the next line that has one', () => {
    expect(press('ArrowDown', at('one'))).toBe('two');
    expect(press('ArrowDown', at('one-2'))).toBe('two-2');
    expect(press('ArrowUp', at('two'))).toBe('one');
    expect(press('End', at('one'))).toBe('two');
    expect(press('Home', at('two-2'))).toBe('one-2');
  });

  test('arrows stop at the ends, and other keys are left alone', () => {
    expect(press('ArrowDown', at('two'))).toBe('two');
    expect(press('ArrowUp', at('one'))).toBe('one');
    expect(press('ArrowRight', at('one'))).toBe('one');
    expect(press('x', at('one'))).toBe('one');
  });

  test('left and right go along the navigation', () => {
    const [a, b] = list.querySelectorAll<HTMLElement>('nav a');
    press('ArrowRight', a);
    expect(document.activeElement).toBe(b);
    press('ArrowLeft', b);
    expect(document.activeElement).toBe(a);
  });
});
