import type { FaultKind } from '../engine/faults.js';
import { KINDS } from './explain.js';
import type { Finding } from './findings.js';

/** Writes findings for people: by promise, each with its cause and its history on one screen. @param replay returns the command that plays one again */
export function renderFindings(findings: readonly Finding[], replay: (number: number) => string): string {
  const promises = [...new Set(findings.map(({ promise }) => promise))];
  return promises
    .flatMap((promise) => [
      `BROKEN ${promise}`,
      ...findings.flatMap((finding, at) => (finding.promise === promise ? renderFinding(finding, replay(at + 1)) : [])),
    ])
    .join('\n');
}

function renderFinding({ promise, kind, construct, count, shortest }: Finding, replay: string): readonly string[] {
  const where = kind === 'none' ? 'without a fault' : `${kind} at ${construct}`;
  const violation = shortest.violations.find((one) => one.promise === promise);
  return [
    '',
    `  ${where}: ${count} ${count === 1 ? 'history' : 'histories'}`,
    `    ${shortest.cause}`,
    ...(violation?.detail.split('\n') ?? []).slice(0, 6).map((line) => `    ${line.slice(0, 240)}`),
    ...sourceOf(kind),
    ...shortest.lines.map((line) => `      ${line.slice(0, 180)}`),
    `    play it again: ${replay}`,
  ];
}

const sourceOf = (kind: string): readonly string[] =>
  Object.hasOwn(KINDS, kind)
    ? [`    How likely: ${KINDS[kind as FaultKind].likely}. Source: ${KINDS[kind as FaultKind].source}.`]
    : [];

const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? one);

/** Writes a report as JUnit's XML: one case for each promise, which fails with its findings. @param promises that were looked at */
export function renderJUnit(name: string, promises: readonly string[], findings: readonly Finding[]): string {
  const cases = promises.map((promise) => {
    const found = findings.filter((finding) => finding.promise === promise);
    const text = found.map(
      ({ kind, construct, count, shortest }) => `${kind} at ${construct}: ${count}\n${shortest.cause}`,
    );
    const failure =
      found.length === 0
        ? ''
        : `<failure message="${escapeXml(`${found.length} findings`)}">${escapeXml(text.join('\n\n'))}</failure>`;
    return `    <testcase classname="${escapeXml(name)}" name="${escapeXml(promise)}">${failure}</testcase>`;
  });
  const failures = promises.filter((promise) => findings.some((finding) => finding.promise === promise)).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${escapeXml(name)}" tests="${promises.length}" failures="${failures}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** Writes a report in SARIF (OASIS, "Static Analysis Results Interchange Format" 2.1.0): one result for each finding. */
export function renderSarif(findings: readonly Finding[]): string {
  const rules = [...new Set(findings.map(({ promise }) => promise))];
  const results = findings.map(({ promise, kind, construct, count, shortest }) => ({
    ruleId: promise,
    ruleIndex: rules.indexOf(promise),
    level: 'error',
    message: { text: `${kind} at ${construct} (${count} histories): ${shortest.cause}` },
    locations: [{ logicalLocations: [{ fullyQualifiedName: construct === '' ? 'app' : construct, kind: 'module' }] }],
  }));
  const driver = {
    name: 'orderly-simulate',
    rules: rules.map((id) => ({ id, shortDescription: { text: id } })),
  };
  const run = { tool: { driver }, results };
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

/** Writes annotations of a pull request. GitHub Actions, "Workflow commands": what ends a command must be escaped. */
export const renderAnnotations = (findings: readonly Finding[]): string =>
  findings
    .map(({ promise, kind, construct, shortest }) => {
      const title = `${promise}: ${kind} at ${construct}`.replaceAll(/[,:]/g, (one) => (one === ',' ? '%2C' : '%3A'));
      return `::error title=${title}::${shortest.cause.replaceAll('%', '%25').replaceAll('\n', '%0A')}`;
    })
    .join('\n');
