import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Progress, renderBar } from '../../../packages/operator/cli/progress.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function told(terminal?: { readonly isTTY: boolean; readonly columns: number }) {
  const lines: string[] = [];
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  const progress = new Progress((line) => lines.push(line), terminal && { ...terminal, write });
  return { progress, lines, written };
}

describe('progress', () => {
  test.each([undefined, { isTTY: false, columns: 80 }])(
    'progress is a line for each report without a terminal (%j)',
    (terminal) => {
      const { progress, lines, written } = told(terminal);
      progress.say('1 of 2', 0.5);
      progress.say('2 of 2', 1);
      progress.end();
      expect({ lines, written }).toEqual({ lines: ['1 of 2', '2 of 2'], written: [] });
    },
  );

  test('progress is one line on a terminal, which is updated, and is gone at the end', () => {
    const { progress, lines, written } = told({ isTTY: true, columns: 80 });
    progress.say('waits for its result');
    vi.advanceTimersByTime(3_000);
    progress.say('1 of 4', 0.25);
    progress.end();
    vi.advanceTimersByTime(10_000);
    expect(lines).toEqual([]);
    expect(written).toEqual(
      [
        'waits for its result',
        'waits for its result',
        'waits for its result  (2 s)',
        'waits for its result  (3 s)',
        '[#####---------------]  25 %  1 of 4',
        '',
      ].map((text) => `\r\u001b[K${text}`),
    );
  });

  test('progress never breaks into a second line', () => {
    const { progress, written } = told({ isTTY: true, columns: 12 });
    progress.say('much longer than that');
    expect(written).toEqual(['\r\u001b[Kmuch longe…']);
    progress.end();
  });
});

test.each([
  [0, '[--------------------]   0 %'],
  [0.999, '[###################-]  99 %'],
  [1, '[####################] 100 %'],
  [1.2, '[####################] 100 %'],
])('a bar of %d', (share, text) => expect(renderBar(share)).toBe(text));
