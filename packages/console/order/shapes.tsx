import { MARK_SIZE } from './layout.js';

interface ShapeProps {
  readonly look: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Number of things that share the mark. @default 1 */
  readonly count?: number;
}

/** Signs inside of a bar, in a square of 18: each look has a form of its own, so that nobody needs its colour. */
const SIGNS: Readonly<Record<string, string>> = {
  applied: 'M4.5 9.5l3 3l6-7',
  duplicate: 'M5 7h8M5 11h8',
  'answer lost': 'M13 6.5a5 5 0 1 0 1 4M13.5 3v4h-4',
  crashed: 'M5 5l8 8M13 5l-8 8',
  refused: 'M9 4v6.5M9 13v1',
  postponed: 'M4.5 9h1M8.5 9h1M12.5 9h1',
  running: 'M6.5 5l6 4l-6 4z',
  waiting: 'M9 5v4l3 2',
};

/** Draws a mark: a bar with a sign, a dot of a commit, or the flag of a timeout. */
export function Shape({ look, x, y, width, count = 1 }: ShapeProps) {
  const middle = MARK_SIZE / 2;
  if (look === 'commit')
    return (
      <>
        <circle class="body" cx={x + middle} cy={y + middle} r={count > 1 ? 8 : 6} />
        {count > 1 ? (
          <text class="count" x={x + middle} y={y + middle + 4}>
            {count}
          </text>
        ) : null}
      </>
    );
  if (look === 'timer') return <path class="body" d={`M${x + 4} ${y + MARK_SIZE}V${y + 1}h11l-3 4l3 4h-11`} />;
  return (
    <>
      <rect class="body" x={x} y={y} width={Math.max(width, MARK_SIZE)} height={MARK_SIZE} rx={4} />
      <path class="sign" transform={`translate(${x} ${y})`} d={SIGNS[look] ?? ''} />
      {count > 1 ? (
        <text class="badge" x={x + MARK_SIZE - 1} y={y + 5}>
          {count}
        </text>
      ) : null}
    </>
  );
}
