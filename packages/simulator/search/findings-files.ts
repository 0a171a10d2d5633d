import type { FaultKind } from '../engine/faults.js';
import { describeUnknownHosts } from './calm.js';
import { KINDS } from './explain.js';
import type { BrokenHistory, Finding } from './findings.js';
import type { Oracle } from './oracle.js';
import type { SearchResult } from './search-app.js';

/** Writes findings for people: by promise, each with its cause and its history on one screen. @param replay returns the command that plays one again */
export function renderFindings(findings: readonly Finding[], replay: (number: number) => string): string {
  const promises = [...new Set(findings.map(({ promise }) => promise))];
  // In the order in which they are printed: by promise.
  const printed = promises.flatMap((promise) => findings.filter((finding) => finding.promise === promise));
  return promises
    .flatMap((promise) => [
      `BROKEN ${promise}`,
      ...printed.flatMap((finding, at) => {
        if (finding.promise !== promise) return [];
        const number = findings.indexOf(finding) + 1;
        const earlier = printed.slice(0, at);
        const same = earlier.find(({ shortest }) => isSameHistory(shortest, finding.shortest));
        const alike = earlier.find((one) => isAlike(one, finding));
        return renderFinding(finding, replay(number), {
          ...(same && { same: findings.indexOf(same) + 1 }),
          ...(alike && { alike: findings.indexOf(alike) + 1 }),
        });
      }),
    ])
    .join('\n');
}

const isSameHistory = (one: BrokenHistory, other: BrokenHistory): boolean =>
  one.scenario === other.scenario &&
  one.seed === other.seed &&
  JSON.stringify(one.faults) === JSON.stringify(other.faults);

/** Whether another kind of fault at the same construct ends in the same: one screen shows both. */
const isAlike = (one: Finding, other: Finding): boolean =>
  one.promise === other.promise &&
  one.construct === other.construct &&
  one.construct !== '' &&
  detailOf(one) !== undefined &&
  detailOf(one) === detailOf(other);

const detailOf = ({ promise, shortest }: Finding): string | undefined =>
  shortest.violations.find((one) => one.promise === promise)?.detail;

/**
 * Writes how much was played and found, and where: the last lines of a search.
 * @param results one or more of each scenario, as its processes have searched it
 * @param refused requests that are refused even without faults
 */
export function renderSummary(
  results: readonly Pick<SearchResult, 'scenario' | 'histories' | 'all'>[],
  findings: readonly Finding[],
  refused: readonly string[] = [],
): string {
  const kinds = new Map<string, Set<string>>();
  for (const { kind, construct } of findings) {
    const where = construct === '' ? 'without a fault' : construct;
    kinds.set(where, (kinds.get(where) ?? new Set()).add(kind));
  }
  const lines = [...kinds]
    .sort(([, one], [, other]) => other.size - one.size)
    .map(([where, some]) => (where === 'without a fault' ? `  ${where}` : `  ${where}: ${[...some].join(', ')}`));
  const count = `${countHistories(results)}, ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  const listed =
    findings.length === 0 ? count : `${count}, by the construct where the fault happened:\n${lines.join('\n')}`;
  const found = refused.length === 0 ? listed : `${listed}\n${countRefused(refused)}, as the first lines list`;
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))];
  if (scenarios.length < 2) return found;
  const each = scenarios.map((name) => `  ${name}: ${countHistories(results.filter((one) => one.scenario === name))}`);
  return [...each, found].join('\n');
}

/** Writes what histories without faults have shown: what was not reached, and is not compared. */
export const renderLearned = ({ unknownHosts, outsideBuses, unreached, lateOnes, leftOut }: Oracle): string =>
  Object.entries({
    'Not looked at': [
      ...(unknownHosts.length > 0 ? [describeUnknownHosts(unknownHosts)] : []),
      ...outsideBuses.map((bus) => `what receives the events of ${bus}, a bus of another account`),
    ],
    'Not reached by these requests': unreached,
    'Not compared, since it differs when work is only late (attempts and leases may, a balance may not)': lateOnes,
    'Not compared, since it differs without any fault': leftOut,
  })
    .filter(([, found]) => found.length > 0)
    .map(([what, found]) => `\n${what}: ${found.join(', ')}`)
    .join('\n');

/** Lists the requests that are refused even without faults: the first lines of a search. */
export const renderRefused = (refused: readonly string[]): string =>
  [`${countRefused(refused)}:`, ...refused.map((line) => `  ${line}`)].join('\n');

/** Names the dead-letter queues that get messages even without faults, before a search. */
export const renderParked = (parked: readonly string[]): string =>
  `Even without faults, messages end in dead-letter queues, so what they would do is not searched:\n  ${parked.join('\n  ')}`;

const countRefused = ({ length }: readonly string[]): string =>
  length === 1
    ? '1 request is refused even without faults, so what it would do is not searched'
    : `${length} requests are refused even without faults, so what they would do is not searched`;

/** Says how many histories were played, and of how many if the search ended before. */
function countHistories(results: readonly Pick<SearchResult, 'histories' | 'all'>[]): string {
  const [done, all] = [results.map(({ histories }) => histories), results.map((one) => one.all)].map((numbers) =>
    numbers.reduce((sum, number) => sum + number, 0),
  );
  return done === all ? `${done} histories` : `${done} of ${all} histories`;
}

/** @param earlier numbers of earlier findings: of the same history, and of one that ends in the same */
function renderFinding(
  finding: Finding,
  replay: string,
  { same, alike }: { readonly same?: number; readonly alike?: number },
): readonly string[] {
  const { kind, construct, count, shortest } = finding;
  const where = kind === 'none' ? 'without a fault' : `${kind} at ${construct}`;
  const head = ['', `  ${where}: ${count} ${count === 1 ? 'history' : 'histories'}`, `    ${shortest.cause}`];
  if (alike !== undefined) return [...head, ...sourceOf(kind), `    it ends as finding ${alike}: ${replay}`];
  const details = (detailOf(finding)?.split('\n') ?? []).slice(0, 6).map((line) => `    ${line.slice(0, 240)}`);
  if (same !== undefined) return [...head, ...details, `    the history of finding ${same} does this too: ${replay}`];
  return [
    ...head,
    ...details,
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
