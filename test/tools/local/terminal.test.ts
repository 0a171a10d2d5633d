import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Terminal } from '../../../tools/local/terminal.js';

const CLEARED = '\r\u001b[K';

/** A stream that remembers what was written. */
const stream = (isTTY: boolean) => {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
};

describe('colours', () => {
  const coloured = (isTTY: boolean, environment: NodeJS.ProcessEnv): string =>
    new Terminal(stream(isTTY), environment).colour('cyan', 'npm start');

  test('colours are shown at a terminal', () => expect(coloured(true, {})).toBe('\u001b[36mnpm start\u001b[0m'));
  test('colours are left out with NO_COLOR', () => expect(coloured(true, { NO_COLOR: '1' })).toBe('npm start'));
  test('colours are left out in a file', () => expect(coloured(false, {})).toBe('npm start'));
});

describe('the moving line', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** Begins work that lasts until it is ended. */
  const working = (isTTY: boolean) => {
    const out = stream(isTTY);
    const terminal = new Terminal(out, { NO_COLOR: '1' });
    let end = (): void => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    return { out, terminal, ended: terminal.during(() => work), end };
  };

  test('shows the seconds since the last line, and the next line takes its place', () => {
    const { out, terminal } = working(true);
    terminal.say('deploy ...');
    vi.advanceTimersByTime(1000);
    expect(out.written).toEqual(['deploy ...\n']);
    vi.advanceTimersByTime(2000);
    expect(out.written.slice(1)).toEqual([`${CLEARED}  ... 2 s`, `${CLEARED}  ... 3 s`]);
    terminal.say('deploy: 3.1 s');
    expect(out.written.slice(3)).toEqual([CLEARED, 'deploy: 3.1 s\n']);
    vi.advanceTimersByTime(1000);
    expect(out.written).toHaveLength(5);
  });

  test('counts from the beginning of the work, however long nothing was said before', async () => {
    const { out, terminal, ended, end } = working(true);
    end();
    await ended;
    vi.advanceTimersByTime(60_000);
    expect(out.written).toEqual([]);
    terminal.during(() => new Promise(() => {}));
    vi.advanceTimersByTime(2000);
    expect(out.written).toEqual([`${CLEARED}  ... 2 s`]);
  });

  test('the moving line is gone when the work has ended, or has failed', async () => {
    const { out, terminal, ended, end } = working(true);
    vi.advanceTimersByTime(2000);
    end();
    await ended;
    expect(out.written.at(-1)).toBe(CLEARED);
    const failing = terminal.during(async () => {
      vi.advanceTimersByTime(2000);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(out.written.at(-1)).toBe(CLEARED);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the moving line is absent in a file: only lines are there', () => {
    const { out, terminal } = working(false);
    terminal.say('deploy ...');
    vi.advanceTimersByTime(60_000);
    terminal.say('deploy: 60.0 s');
    expect(out.written).toEqual(['deploy ...\n', 'deploy: 60.0 s\n']);
  });
});
