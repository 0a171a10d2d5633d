import type { Obstacle } from '../assembly/obstacles.js';

/** Obstacles of one sort, and how many resources have it. */
interface Sort {
  readonly what: string;
  readonly type: string;
  readonly meaning: string | undefined;
  readonly mayBeIgnored: boolean;
  readonly labels: string[];
}

/** Resources of one sort that are named. */
const NAMED = 5;

/** Writes what stands in the way, for people: by sort, those first that nothing can ignore. @param folder of the assembly */
export function renderObstacles(folder: string, obstacles: readonly Obstacle[]): string {
  if (obstacles.length === 0)
    return [
      `${folder}: nothing stands in the way`,
      `  search it for faults: npx orderly-simulate ${folder}`,
      `  run it:               npx orderly-local ${folder}`,
    ].join('\n');
  const install = [...new Set(obstacles.flatMap(({ install = [] }) => install))];
  if (obstacles.every((one) => one.install)) return renderMissing(folder, obstacles, install);
  const sorts = [...groupBySort(obstacles)].sort((one, other) => Number(one.mayBeIgnored) - Number(other.mayBeIgnored));
  const blocking = sorts.filter(({ mayBeIgnored }) => !mayBeIgnored);
  const ignorable = sorts.filter(({ mayBeIgnored }) => mayBeIgnored);
  const next =
    blocking.length === 0
      ? `It runs without them: npx orderly-local ${folder} --tolerant`
      : 'What carries messages is never ignored: a history without it would prove nothing about them.';
  return [
    `${folder}: ${count(sorts.length, 'thing stands', 'things stand')} in the way`,
    ...section('Must be there:', blocking),
    ...section('May be ignored (--tolerant):', ignorable),
    '',
    ...(install.length > 0 ? [`Install what is missing: npm install --save-dev ${install.join(' ')}`] : []),
    next,
  ].join('\n');
}

/** Writes what is missing, where packages are all that is. */
const renderMissing = (folder: string, obstacles: readonly Obstacle[], install: readonly string[]): string =>
  [
    `${folder}: the code of ${count(new Set(obstacles.map(({ label }) => label)).size, 'function', 'functions')} needs packages that are not installed here.`,
    "Lambda's runtime or a layer has them, so they aren't in the bundles:",
    `  npm install --save-dev ${install.join(' ')}`,
  ].join('\n');

/** Writes in one line what a tolerant cloud leaves out. @returns `undefined` if it leaves nothing out */
export function renderIgnored(obstacles: readonly Obstacle[]): string | undefined {
  if (obstacles.length === 0) return undefined;
  const sorts = [...groupBySort(obstacles)].map(({ type, what, labels }) => `${type} ${what} (${labels.length})`);
  return `Ignored, since no message depends on it: ${sorts.join('; ')}`;
}

const section = (title: string, sorts: readonly Sort[]): readonly string[] =>
  sorts.length === 0 ? [] : ['', title, ...sorts.flatMap(renderSort)];

function renderSort({ type, what, meaning, labels }: Sort): readonly string[] {
  const rest = labels.length > NAMED ? `, and ${labels.length - NAMED} more` : '';
  return [
    `  ${type}: ${what}`,
    ...(meaning === undefined ? [] : [`    ${meaning}`]),
    `    ${labels.slice(0, NAMED).join(', ')}${rest}`,
  ];
}

function groupBySort(obstacles: readonly Obstacle[]): Iterable<Sort> {
  const sorts = new Map<string, Sort>();
  for (const { type, label, what, meaning, mayBeIgnored } of obstacles) {
    const key = `${type} ${what}`;
    const sort = sorts.get(key) ?? { type, what, meaning, mayBeIgnored, labels: [] };
    sorts.set(key, sort);
    if (!sort.labels.includes(label)) sort.labels.push(label);
  }
  return sorts.values();
}

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;
