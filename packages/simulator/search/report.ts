import type { History } from './scenario.js';

/** Maximum number of trace lines in a report. */
const MAX_LINES = 120;

/**
 * Reports a broken promise so that it can be replayed: the promise, the faults, and the events about the object
 * concerned.
 */
export function renderReport(history: History, command: string): string {
  const { scenario, seed, violations, faults, trace, fingerprint } = history;
  const told = [
    `${scenario.name}, seed ${seed}: ${violations.length} violations (history ${fingerprint.slice(0, 12)})`,
  ];
  for (const { invariant, detail } of violations.slice(0, 10)) told.push(`  VIOLATED ${invariant}\n    ${detail}`);
  told.push(
    '  faults:',
    ...(faults.length === 0 ? ['    none'] : faults.map(({ point, kind }) => `    ${point}: ${kind}`)),
  );
  const about = violations.flatMap(({ about }) => (about === undefined ? [] : [about]));
  const lines = trace.filter((line) => line.includes('FAULT') || about.some((text) => line.includes(text)));
  const shown = about.length > 0 ? lines : trace;
  told.push('  trace:', ...shown.slice(0, MAX_LINES).map((line) => `    ${line}`));
  if (shown.length > MAX_LINES) told.push(`    ... ${shown.length - MAX_LINES} more lines`);
  told.push(`  replay: ${command}`);
  return told.join('\n');
}
