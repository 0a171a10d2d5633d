import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DemoResult } from '../../../tools/local/demo.js';
import {
  describePage,
  describeReady,
  describeStart,
  invitation,
  renderTables,
} from '../../../tools/local/start-texts.js';

const stockOf = (sku: string) => ({ sku, version: 1, onHand: 3, reserved: 0, available: 3 });
const [before, after, atLast] = [stockOf('TEA-1'), stockOf('TEA-1'), stockOf('TEA-1')];

describe('the commands that a start prints', () => {
  const text = invitation({ apiUrl: 'http://127.0.0.1:4566/v1' }, {
    stock: Array.from({ length: 3 }, () => ({ before, after, atLast })),
  } as unknown as Parameters<typeof invitation>[1]);
  const commands = text.split('\n').filter((line) => /^(curl|alice=)/.test(line));

  test('survive a paste: each is one line, and what it uses was set before', () => {
    expect(commands).toHaveLength(4);
    expect(text).not.toMatch(/\.\.\.|<[a-z]/);
    const used = commands.join('\n').match(/\$[a-z]+/g) ?? [];
    for (const name of used) expect(commands[0]).toMatch(new RegExp(`^${name.slice(1)}=`));
  });

  test('show the headers where a repeat differs by a header only', () => {
    expect(commands.find((line) => line.includes('Idempotency-Key'))).toMatch(/^curl -i/);
    expect(text).toContain('Idempotency-Replayed');
  });

  test('make their tokens when they are pasted: printed ones are too old once time was forwarded', () => {
    expect(text).not.toMatch(/eyJ/);
    for (const line of commands.slice(1)) expect(line).toMatch(/Bearer \$(alice|\(npm run -s token -- --operator\))"/);
  });
});

const textBlockOf = (page: string): string => /```text\n(.*?)\n```/s.exec(readFileSync(page, 'utf8'))?.[1] ?? '';

describe('docs/how-to/run-locally.md shows what a start prints', () => {
  const shown = textBlockOf('docs/how-to/run-locally.md');
  // These differ from one start to the next: a race decides whether the rejected order has a mug in it.
  const [, run = ''] = /TEA-(\w{6})/.exec(shown) ?? [];
  const [, mugs] = /MUG-.* (\d+)$/m.exec(shown) ?? [];
  const counts = /sent again.*\n +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)/.exec(shown) ?? [];
  const [sent, unheard, deliveries, duplicates, applied] = counts.slice(1).map(Number);
  const article = (name: string, onHand: number, left: number): DemoResult['stock'][number] => {
    const before = { ...stockOf(`${name}-${run}`), onHand, available: onHand };
    const later = { ...before, available: left };
    return { before, after: later, atLast: later };
  };
  const result = {
    orders: Array.from({ length: 8 }, (_, at) => ({ status: at < 7 ? 'APPROVED' : 'REJECTED' })),
    stock: [article('TEA', 40, 26), article('MUG', 30, Number(mugs)), article('KETTLE', 3, 0)],
    again: { sent, unheard, deliveries, duplicates, applied },
  } as unknown as DemoResult;

  test('the page shows the lines word for word, but for ids, counts of messages and seconds', () => {
    const url = 'http://127.0.0.1:4566';
    const terminal = { colour: (_: unknown, text: string) => text };
    const printed = [
      describePage(`${url}/?token=a-token`, terminal),
      renderTables(result),
      invitation({ apiUrl: `${url}/v1` }, result),
      `${describeStart(url, terminal)}\n${describeReady(0)}`,
    ].join('\n\n');
    const comparable = (text: string) =>
      text
        .replace(/try-\w{8}/, 'try-<id>')
        .replace(/token=[\w-]+/, 'token=<token>')
        .replace(/after \d+ s\./, 'after <n> s.');
    expect(comparable(shown)).toBe(comparable(printed));
  });

  test('README.md shows nine of the lines of docs/how-to/run-locally.md', () => {
    const [excerpt, all] = [textBlockOf('README.md').split('\n'), shown.split('\n')];
    expect(excerpt).toHaveLength(9);
    expect(all.filter((line) => excerpt.includes(line))).toEqual(excerpt);
  });
});
