import { expect, test } from 'vitest';
import type { BrokenHistory, Finding } from './findings.js';
import { renderFindings, renderSummary } from './findings-files.js';

const history = (point: string, ...promises: string[]): BrokenHistory => ({
  scenario: 'orders',
  seed: 'singles',
  bySeed: false,
  faults: [{ point, kind: 'answer-lost' }],
  violations: promises.map((promise) => ({ promise, detail: `${promise} is broken` })),
  cause: 'At this call the answer was lost.',
  lines: ['a line of the history'],
});
const finding = (promise: string, construct: string, shortest: BrokenHistory): Finding => ({
  promise,
  kind: 'answer-lost',
  construct,
  count: 1,
  shortest,
});

const both = history('Place call 1', 'tables', 'messages');
const findings = [
  finding('tables', 'Place', both),
  finding('messages', 'Place', both),
  finding('tables', 'Work', history('Work call 2', 'tables')),
];

test('a history that breaks several promises is shown once, and named by the others', () => {
  const text = renderFindings(findings, (number) => `replay ${number}`);
  expect(text.match(/a line of the history/g)).toHaveLength(2);
  expect(text).toMatch(
    /BROKEN messages\n\n.*\n.*\n {4}messages is broken\n {4}the history of finding 1 does this too: replay 2$/,
  );
});

test('another kind of fault that ends in the same at the same construct is two lines', () => {
  const late = {
    ...finding('tables', 'Place', { ...history('Place call 3', 'tables'), cause: 'It came late.' }),
    kind: 'late',
  };
  const elsewhere = finding('tables', 'Work', history('Work call 3', 'tables'));
  const text = renderFindings([findings[0] as Finding, late, elsewhere], (number) => `replay ${number}`);
  expect(text).toContain('  late at Place: 1 history\n    It came late.\n');
  expect(text).toContain('    it ends as finding 1: replay 2\n');
  expect(text.match(/a line of the history/g)).toHaveLength(2);
});

const searched = (scenario: string, histories: number, all = histories) => ({ scenario, histories, all });

test('the last lines of a search say where it has found something', () => {
  expect(renderSummary([searched('orders', 30), searched('orders', 10)], findings)).toBe(
    '40 histories, 3 findings, by the construct where the fault happened:\n  Place: answer-lost\n  Work: answer-lost',
  );
  expect(renderSummary([searched('orders', 40)], [])).toBe('40 histories, 0 findings');
});

test('a search that ended before all was played says how much is left, of each scenario', () => {
  expect(renderSummary([searched('orders', 30, 100)], [])).toBe('30 of 100 histories, 0 findings');
  expect(renderSummary([searched('orders', 30, 100), searched('refunds', 8), searched('orders', 20, 50)], [])).toBe(
    '  orders: 50 of 150 histories\n  refunds: 8 histories\n58 of 158 histories, 0 findings',
  );
});
