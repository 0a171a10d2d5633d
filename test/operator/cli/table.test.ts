import { describe, expect, test } from 'vitest';
import { fitToTerminal, renderList, renderTable } from '../../../packages/operator/cli/table.js';
import { findByPrefix, formatTime, idFormatter } from '../../../packages/operator/records/list-format.js';

const HEAD = ['ID', 'SUBJECT', 'REASON'];
const ROWS = [
  ['0123456789abcdef', 'Booking/0123456789', 'ContractViolation: data.seat invalid_type'],
  ['fedcba9876543210', '-', 'Late'],
];
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe('a table', () => {
  test('a table is whole if the output is no terminal, or wide enough', () => {
    const whole = `ID                SUBJECT             REASON
0123456789abcdef  Booking/0123456789  ContractViolation: data.seat invalid_type
fedcba9876543210  -                   Late`;
    expect(renderTable(HEAD, ROWS, ['REASON'], undefined)).toBe(whole);
    expect(renderTable(HEAD, ROWS, ['REASON'], 79)).toBe(whole);
  });

  test('fits the terminal: the first column to be cut is cut first', () => {
    expect(renderTable(HEAD, ROWS, ['REASON', 'SUBJECT'], 60)).toBe(`ID                SUBJECT             REASON
0123456789abcdef  Booking/0123456789  ContractViolation: da…
fedcba9876543210  -                   Late`);
    expect(renderTable(HEAD, ROWS, ['REASON', 'SUBJECT'], 40)).toBe(`ID                SUBJECT       REASON
0123456789abcdef  Booking/012…  Contrac…
fedcba9876543210  -             Late`);
  });

  test.each([79, 78, 60, 48, 36])('a table is at most %d wide', (width) =>
    expect(widest(renderTable(HEAD, ROWS, ['REASON', 'SUBJECT'], width))).toBeLessThanOrEqual(width),
  );

  test('keeps the columns that a next command needs, however narrow the terminal is', () => {
    const narrow = renderTable(HEAD, ROWS, ['REASON', 'SUBJECT'], 10);
    for (const [id] of ROWS) expect(narrow).toContain(id);
    expect(widest(narrow)).toBe(16 + 2 + 8 + 2 + 8);
  });
});

test('long lines are cut at the edge of a terminal', () => {
  expect(fitToTerminal('short\na long line', 8)).toBe('short\na long …');
  expect(fitToTerminal('short\na long line', undefined)).toBe('short\na long line');
});

describe('a table on a terminal', () => {
  const NOW = '2026-12-01T12:00:00.000Z';

  test('times are relative', () => {
    expect(formatTime('2026-12-01T11:57:00.000Z', NOW, 80)).toBe('3 min ago');
    expect(formatTime('2026-12-01T11:57:00.000Z', NOW, undefined)).toBe('2026-12-01T11:57:00.000Z');
    expect(formatTime('', NOW, 80)).toBe('');
  });

  const of = (name: string, messageId: string) => ({ messageId, listener: { name } });
  const all = [of('seats', 'body:0123456789'), of('seats', 'body:0123456abc'), of('meals', 'body:0123456789')];

  test('ids are as short as the commands take them', () => {
    const idOf = idFormatter(all, 80);
    expect(all.map(idOf)).toEqual(['body:01234567', 'body:0123456a', 'body:0123456']);
    for (const one of all.slice(0, 2)) expect(findByPrefix(idOf(one), all.slice(0, 2))).toBe(one);
    expect(all.map(idFormatter(all, undefined))).toEqual(all.map(({ messageId }) => messageId));
  });

  test('a beginning that is too short, or of several ids, names none', () => {
    expect(findByPrefix('body:0123456', all)).toBeUndefined();
    expect(findByPrefix('body:', all.slice(2))).toBeUndefined();
  });
});

describe('a list', () => {
  const COLUMNS = { head: HEAD, cut: ['REASON', 'SUBJECT'], below: ['SUBJECT', 'REASON'] };

  test('is a table where one line has room for what a row says, and else has two lines for each row', () => {
    const table = (width?: number) => renderTable(HEAD, ROWS, COLUMNS.cut, width);
    expect(renderList(COLUMNS, ROWS, 79)).toBe(table(79));
    // 16 characters of each column that is cut.
    expect(renderList(COLUMNS, ROWS, 16 + 2 + 16 + 2 + 16)).toBe(table(52));
    expect(renderList(COLUMNS, ROWS, 51)).toBe(`ID
0123456789abcdef
    Booking/0123456789  ContractViolation: data.se…
fedcba9876543210
    Late`);
    expect(renderList(COLUMNS, ROWS, undefined)).toBe(table(undefined));
  });

  test('uses a wide terminal up to 200 characters, and cuts nothing before', () => {
    const long = [['0123456789abcdef', 'Booking/1', 'x'.repeat(500)]];
    expect(widest(renderList(COLUMNS, long, 150))).toBe(150);
    expect(widest(renderList(COLUMNS, long, 300))).toBe(200);
    expect(renderList(COLUMNS, long, undefined)).toContain('x'.repeat(500));
  });
});
