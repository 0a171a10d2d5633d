import { keyOf, type Move, type Place, type Play, type Silence } from './saga-play.js';

/**
 * Draws all paths of a saga as a flowchart (Mermaid), and lists in a table what the saga sends, how often and for how
 * long.
 *
 * It is not a state diagram: there, Mermaid draws no arrow from inside one group of states into another group.
 * @returns Markdown
 */
export function drawSaga({ moves, silences }: Play): string {
  const places = new Map(moves.flatMap(({ from, to }) => [from, to].map((place) => [keyOf(place), place] as const)));
  const silenceAt = new Map(silences.map((silence) => [keyOf(silence.at), silence]));
  const groups = groupBy(places.values(), ({ status, step }) => (step === undefined ? '' : status));
  const boxes = [...groups].flatMap(([status, members]) => {
    const lines = members.map((place) => renderNode(place, silenceAt.get(keyOf(place))));
    return status === '' ? lines : [`subgraph ${status}`, ...lines, 'end'];
  });
  const ways = groupBy(moves, ({ from, to }) => `${idOf(from)} ${idOf(to)}`);
  const arrows = [...ways.values()].flatMap(([way, ...more]) => {
    if (!way) return [];
    const labels = [way, ...more].map((move) => renderLabel(move, silenceAt.get(keyOf(move.from))));
    return `${idOf(way.from)} -->|"${labels.join(', ')}"| ${idOf(way.to)}`;
  });
  const rows = ['RUNNING', 'COMPENSATING']
    .flatMap((status) => silences.filter(({ at }) => at.status === status))
    .map((silence) => renderRow(silence, moves));
  return [
    '```mermaid',
    'flowchart TD',
    ...[...boxes, ...arrows].map((line) => `  ${line}`),
    '```',
    '',
    '| step | sends | until it is answered | otherwise |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Labels of messages in the picture. */
const WORDS: Readonly<Record<Move['on'], string>> = {
  started: 'started',
  done: 'done',
  refused: 'refused',
  unanswered: 'no answer',
  cancelled: 'cancelled',
  retried: 'retried by an operator',
  resolved: 'resolved by an operator',
};

/** Number of retry times that a row shows. */
const SHOWN = 4;

const idOf = (place: Place): string => keyOf(place).replaceAll(/[^A-Za-z0-9]/g, '_');

const describePlace = ({ status, step }: Place): string =>
  step === undefined ? status : status === 'COMPENSATING' ? `undo ${step}` : step;

function renderNode(place: Place, silence: Silence | undefined): string {
  if (place.status === 'NONE') return `${idOf(place)}(("not begun"))`;
  if (place.step === undefined) return `${idOf(place)}(["${place.status}"])`;
  const sends = silence ? `<br/>${silence.command.command.type}` : '';
  return `${idOf(place)}["${describePlace(place)}${sends}"]`;
}

function renderLabel({ from, on, without }: Move, silence: Silence | undefined): string {
  const isLate = from.status === 'STUCK' && on === 'done';
  const inTime = on === 'unanswered' && silence ? ` in ${formatTimeSpan(silence.givenUpAfter)}` : '';
  const passed = without.length === 0 ? '' : ` (${without.join(', ')} was not needed)`;
  return `${isLate ? 'done after all' : WORDS[on]}${inTime}${passed}`;
}

function renderRow({ at, command, sentAfter, givenUpAfter }: Silence, moves: readonly Move[]): string {
  const end = moves.find(({ from, on }) => on === 'unanswered' && keyOf(from) === keyOf(at));
  const again = sentAfter.slice(1, SHOWN + 1).map(formatTimeSpan);
  const times = again.length === 0 ? 'once' : `${sentAfter.length} times: at once, after ${again.join(', ')}`;
  const otherwise = end?.to.status === 'STUCK' ? 'STUCK' : end && describePlace(end.to);
  return `| ${[
    describePlace(at),
    `\`${command.command.type}\` to ${command.to.service}`,
    `${times}${sentAfter.length > SHOWN + 1 ? ', ...' : ''}`,
    `${otherwise}, after ${formatTimeSpan(givenUpAfter)}`,
  ].join(' | ')} |`;
}

const UNITS = [
  [86_400, 'days'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/**
 * Formats a time span in the largest unit that leaves no remainder.
 * @param seconds length of the time span
 */
function formatTimeSpan(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0) ?? [1, 's'];
  return `${seconds / size} ${unit}`;
}

function groupBy<T>(items: Iterable<T>, groupOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
  return groups;
}
