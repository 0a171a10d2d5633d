import { countBroken, countHistories } from './counts.js';
import type { HeldAgainst, Promises } from './promises.js';
import type {
  GuardResult,
  PatternResult,
  PlantedResult,
  ProofRecord,
  Run,
  ScenarioResult,
  SuiteResult,
} from './record.js';

/** Path of the page from the root of the repository. */
export const PAGE = 'docs/proof.md';

/** Share of mutants that the tests of a pattern should kill. */
const GOAL = 0.9;
/** Slowest searches that are listed. */
const SLOWEST = 5;

/** Generates the page of proofs from the record of the runs. */
export function generateProofPage(record: ProofRecord, promises: Promises, suites: readonly HeldAgainst[]): string {
  return [
    '# Proof',
    '',
    '<!-- made by npm run docs from docs/proof.json, which npm run prove writes -->',
    '',
    'This page shows, for each [guarantee](../README.md#guarantees), which code keeps it and which test fails without that code. All numbers',
    'are of runs: `npm run prove` plays them again and writes [proof.json](proof.json), and each part can run alone (`-- --guards`).',
    'Each run names its date and its commit; `+` behind a commit means that sources differed from it. Lines are those of that commit.',
    '',
    '## Guards',
    '',
    ...guardSections(record, promises),
    '## Planted bugs',
    '',
    ...plantedSection(record),
    '## Histories',
    '',
    ...historiesSection(record),
    '## Mutants',
    '',
    ...mutantsSection(record),
    '## Public suites',
    '',
    ...suitesSection(record, suites),
    '## One history as a picture',
    '',
    'One order of the demonstration in a local cloud, in which a function crashes and each message comes twice (`npm run screenshots`):',
    '',
    '![One order: each message with each attempt at it, a crash, and duplicates that changed nothing](img/console-order.png)',
    '',
  ].join('\n');
}

const NOT_RUN = ['This part has not run yet.', ''];

function runLine({ at, commit, leftOut, renewed, continues }: Run): string {
  const before =
    continues === undefined
      ? ''
      : ` It continues the run of ${continues.map(nameOf).join(', which continued that of ')}.`;
  const part = renewed === undefined ? '' : ` It renewed "${renewed}" only; the others are of earlier runs.`;
  return `Run of ${nameOf({ at, commit })}.${before}${part}${leftOut === undefined ? '' : ` Left out: ${leftOut}`}`;
}

const nameOf = ({ at, commit }: Pick<Run, 'at' | 'commit'>): string => `${at.slice(0, 10)} at \`${commit}\``;

/** Returns a text as a cell of a table. */
const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();

/** Characters of a source text that a cell shows. */
const SHOWN = 80;

/** Returns the beginning of a source text as code in a cell of a table. */
const code = (text: string): string => {
  const whole = text.replace(/\s+/g, ' ').trim();
  const short = whole.length > SHOWN ? `${whole.slice(0, SHOWN)} …` : whole;
  const fence = short.includes('`') ? '``' : '`';
  return short === '' ? 'nothing' : `${fence}${short.replaceAll('|', '\\|')}${fence}`;
};

const link = (file: string, line?: number): string =>
  `[${file.split('/').at(-1)}${line === undefined ? '' : `:${line}`}](../${file})`;

function guardSections({ guards }: ProofRecord, promises: Promises): readonly string[] {
  if (!guards) return NOT_RUN;
  return [
    `Each guard was removed in a copy of the sources, and its test was run with it and without it. ${runLine(guards.run)}`,
    '',
    ...[...promises].flatMap(([id, words]) => [
      `### ${id}`,
      '',
      words,
      '',
      '| guard | where | test | with | without |',
      '|---|---|---|---|---|',
      ...guards.results.filter(({ promise }) => promise === id).map(guardRow),
      '',
    ]),
  ];
}

const guardRow = ({ guard, file, line, test, greenWith, redWithout }: GuardResult): string =>
  `| ${cell(guard)} | ${link(file, line)} | ${cell(test.name)} (${link(test.file)}) | ${greenWith ? 'green' : '**red**'} | ${redWithout ? 'red' : '**green**'} |`;

function plantedSection({ planted }: ProofRecord): readonly string[] {
  if (!planted) return NOT_RUN;
  const { run, results } = planted;
  const found = results.filter((one) => one.found);
  const alone = found.filter(({ faults }) => faults.length === 0);
  const missed = results.filter((one) => !one.found);
  return [
    `A planted bug is a small mistake that is put into the sources or the templates on purpose: ${found.length} of ${results.length} were found, ${alone.length} of them without any fault. ${runLine(run)}`,
    '',
    ...missed.map(
      ({ bug, scenario, histories }) => `- Not found in ${histories} histories of \`${scenario}\`: ${cell(bug)}`,
    ),
    ...(missed.length > 0 ? [''] : []),
    '| scenario | bugs | found | histories | seconds |',
    '|---|---|---|---|---|',
    ...[...grouped(results, ({ scenario }) => scenario)].toSorted(bySize).map(plantedRow),
    '',
    'The slowest searches:',
    '',
    '| bug | scenario | broken promise | seconds |',
    '|---|---|---|---|',
    ...found
      .toSorted((one, other) => other.seconds - one.seconds)
      .slice(0, SLOWEST)
      .map(
        ({ bug, scenario, broken = '', seconds }) =>
          `| ${cell(bug)} | \`${scenario}\` | ${cell(broken)} | ${seconds} |`,
      ),
    '',
  ];
}

const bySize = <Item>(
  [name, one]: readonly [string, readonly Item[]],
  [otherName, other]: readonly [string, readonly Item[]],
): number => other.length - one.length || (name < otherName ? -1 : 1);

function plantedRow([scenario, results]: readonly [string, readonly PlantedResult[]]): string {
  const found = results.filter((one) => one.found).length;
  const histories = results.reduce((sum, one) => sum + one.histories, 0);
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  return `| \`${scenario}\` | ${results.length} | ${found} | ${histories} | ${Math.round(seconds)} |`;
}

/** Groups items by a name. */
function grouped<Item>(items: readonly Item[], name: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(name(item), [...(groups.get(name(item)) ?? []), item]);
  return groups;
}

function historiesSection({ histories }: ProofRecord): readonly string[] {
  if (!histories) return NOT_RUN;
  const { run, results } = histories;
  const all = results.reduce((sum, one) => sum + countHistories(one), 0);
  const broken = results.reduce((sum, one) => sum + countBroken(one), 0);
  return [
    `Each history plays a scenario with one fault, and is checked against all invariants: ${all} histories of ${results.length} scenarios, ${broken} of them broke a promise. ${runLine(run)}`,
    '',
    '| kind of fault | histories | broken |',
    '|---|---|---|',
    ...kindRows(results),
    '',
    '| scenario | histories | possible faults | broken |',
    '|---|---|---|---|',
    ...results.map((one) => `| \`${one.scenario}\` | ${countHistories(one)} | ${one.possible} | ${countBroken(one)} |`),
    '',
  ];
}

function kindRows(results: readonly ScenarioResult[]): readonly string[] {
  const kinds = [...new Set(results.flatMap(({ byKind }) => Object.keys(byKind)))].toSorted();
  return kinds.map((kind) => {
    const counts = results.flatMap(({ byKind }) => byKind[kind] ?? []);
    const sum = (of: 'histories' | 'broken'): number => counts.reduce((total, one) => total + one[of], 0);
    return `| ${kind} | ${sum('histories')} | ${sum('broken')} |`;
  });
}

function mutantsSection({ mutants }: ProofRecord): readonly string[] {
  if (!mutants) return NOT_RUN;
  const { run, seed, stryker, results } = mutants;
  const survivors = results.flatMap((one) => one.survivors);
  return [
    `A mutant is one small change of a source of the kit, made by Stryker ${stryker}. It is killed if a unit test of its pattern fails. The goal is ${GOAL * 100} % of each pattern; equivalent mutants, which no test could see, count as killed. Seed of the sample: \`${seed}\`. ${runLine(run)}`,
    '',
    '| pattern | mutants | drawn | killed | equivalent | score | |',
    '|---|---|---|---|---|---|---|',
    ...results.map(patternRow),
    '',
    ...(survivors.length === 0
      ? []
      : [
          '<details><summary>Mutants that survived</summary>',
          '',
          '| where | source | mutant | equivalent, because |',
          '|---|---|---|---|',
          ...survivors.map(
            ({ file, line, from, to, equivalent = '' }) =>
              `| ${link(file, line)} | ${code(from)} | ${code(to)} | ${cell(equivalent)} |`,
          ),
          '',
          '</details>',
          '',
        ]),
  ];
}

/** Returns the share of a pattern's mutants that were killed or are equivalent. */
export const scoreOf = ({ drawn, killed, survivors }: PatternResult): number =>
  (killed + survivors.filter(({ equivalent }) => equivalent !== undefined).length) / drawn;

function patternRow(result: PatternResult): string {
  const { pattern, possible, drawn, killed, survivors } = result;
  const equivalent = survivors.filter((one) => one.equivalent !== undefined).length;
  const score = scoreOf(result);
  return `| ${pattern} | ${possible} | ${drawn} | ${killed} | ${equivalent} | ${Math.round(score * 100)} % | ${score < GOAL ? 'below the goal' : ''} |`;
}

function suitesSection({ suites }: ProofRecord, known: readonly HeldAgainst[]): readonly string[] {
  const played = suites
    ? [
        `The [models of AWS](../packages/simulator/docs/conformance.md) are held against the tests of others. ${runLine(suites.run)}`,
        '',
        '| suites of | passed | failed | skipped |',
        '|---|---|---|---|',
        ...suites.results.map(suiteRow),
        '',
      ]
    : NOT_RUN;
  return [
    ...played,
    'What is not held, as [the page of conformance](../packages/simulator/docs/conformance.md) says:',
    '',
    '| service | suite | cases | not held, and why |',
    '|---|---|---|---|',
    ...known.map(({ service, suite, cases, notHeld }) => `| ${service} | ${suite} | ${cases} | ${notHeld} |`),
    '',
  ];
}

const suiteRow = ({ suite, passed, failed, skipped }: SuiteResult): string =>
  `| ${suite} | ${passed} | ${failed} | ${skipped} |`;
