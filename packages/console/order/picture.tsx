import { useEffect, useRef } from 'preact/hooks';
import { formatDuration } from '../page/format.js';
import { moveFocus } from './keyboard.js';
import { COMMITS, type Layout, MARK_SIZE, type PlacedLane, type PlacedLine, type PlacedMark } from './layout.js';
import { Shape } from './shapes.js';

interface PictureProps {
  readonly layout: Layout;
  /** Id of the mark that the keyboard is at. */
  readonly current: string | undefined;
  /** Id of the mark whose record is shown. */
  readonly opened: string | undefined;
  /** A name for the whole picture. */
  readonly name: string;
  readonly onMove: (id: string) => void;
  readonly onOpen: (id: string) => void;
}

/**
 * Draws a history: lanes, time, messages and marks. One mark is in the order of the tabulator; arrows go from there, in the order of
 * time or from lane to lane (ARIA Authoring Practices, "Managing Focus Within Components Using a Roving tabindex").
 */
export function Picture({ layout, current, opened, name, onMove, onOpen }: PictureProps) {
  const { width, height, marks } = layout;
  const picture = useRef<SVGSVGElement>(null);
  const mayFocus = useRef(false);
  const entry = marks.some(({ id }) => id === current) ? current : marks[0]?.id;
  useEffect(() => {
    if (!mayFocus.current || entry === undefined) return;
    mayFocus.current = false;
    picture.current?.querySelector<SVGGElement>('[tabindex="0"]')?.focus();
  }, [entry]);
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') {
      if (entry !== undefined) onOpen(entry);
    } else {
      const next = moveFocus(marks, entry, event.key);
      if (next === undefined) return;
      mayFocus.current = next !== entry;
      onMove(next);
    }
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no fieldset in SVG
    <svg
      ref={picture}
      class="history"
      role="group"
      aria-label={name}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      onKeyDown={press}
    >
      <Backdrop layout={layout} opened={opened} />
      {marks.map((mark) => (
        <Mark
          key={mark.id}
          mark={mark}
          isEntry={mark.id === entry}
          isOpen={mark.id === opened}
          onOpen={() => {
            onMove(mark.id);
            onOpen(mark.id);
          }}
        />
      ))}
    </svg>
  );
}

/** What is behind the marks: time, lanes and messages. The names of the marks say the same. */
function Backdrop({ layout, opened }: Pick<PictureProps, 'layout' | 'opened'>) {
  const { width, height, lanes, lines, axis, forwards, gutter } = layout;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused
    <g aria-hidden="true">
      <g class="axis">
        {axis.ticks.map(({ x, text }) => (
          <text key={text + x} x={x} y={14}>
            {text}
          </text>
        ))}
      </g>
      {forwards.map(({ x, width: room, text }) => (
        <g key={x} class="forward">
          <path d={`M${x} 34h${room}m-6 -4l6 4l-6 4`} />
          <text x={x + room / 2} y={28}>
            {text}
          </text>
        </g>
      ))}
      {lanes.map((lane) => (
        <Lane key={lane.service} lane={lane} width={width} gutter={gutter} />
      ))}
      {axis.folds.map(({ x, width: room, milliseconds }) => (
        <g key={x} class="fold">
          <rect x={x + room / 2 - 4} y={20} width={8} height={height - 20} />
          <text x={x + room / 2} y={32}>
            {formatDuration(milliseconds)}
          </text>
        </g>
      ))}
      {lines.map((line) => (
        <Line key={line.id} line={line} isLit={opened !== undefined && line.id.includes(opened)} />
      ))}
    </g>
  );
}

function Lane({ lane, width, gutter }: { readonly lane: PlacedLane; readonly width: number; readonly gutter: number }) {
  const { service, y, height, nameY, rows } = lane;
  return (
    <g>
      <rect class="lane" x={0} y={y} width={width} height={height} rx={4} />
      <text class="service" x={8} y={nameY}>
        {service}
        {gutter > 0 ? null : <tspan class="row-label"> {nameOfFirst(rows)}</tspan>}
      </text>
      {rows.map((row, at) => (
        <text
          key={row.label}
          class="row-label"
          x={gutter > 0 ? gutter - 4 : 8}
          y={row.y + (gutter > 0 ? 16 : 12)}
          text-anchor={gutter > 0 ? 'end' : 'start'}
        >
          {at === 0 && (gutter === 0 || row.label === COMMITS) ? '' : row.label}
        </text>
      ))}
    </g>
  );
}

/** A narrow picture has the first row's name beside its service's. Commits need none. */
const nameOfFirst = ([first]: PlacedLane['rows']): string =>
  first === undefined || first.label === COMMITS ? '' : first.label;

function Line({ line, isLit }: { readonly line: PlacedLine; readonly isLit: boolean }) {
  const { from, to, look } = line;
  const bend = Math.max(12, Math.min(60, Math.abs(to.x - from.x) / 2));
  const path = `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
  return <path class={`line ${classOf(look)}${isLit ? ' lit' : ''}`} d={path} />;
}

interface MarkProps {
  readonly mark: PlacedMark;
  readonly isEntry: boolean;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function Mark({ mark, isEntry, isOpen, onOpen }: MarkProps) {
  const { x, y, width, look, name } = mark;
  const room = (24 - MARK_SIZE) / 2;
  const count = countOf(mark);
  // A number that is seen is heard, too.
  const label = count > 1 ? `${count} together: ${name}` : name;
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no button in SVG
    <g
      class={`mark ${classOf(look)}`}
      role="button"
      tabindex={isEntry ? 0 : -1}
      aria-label={label}
      aria-pressed={isOpen}
      data-mark={mark.id}
      onClick={onOpen}
    >
      <title>{label}</title>
      <rect class="target" x={x - room} y={y - room} width={width + 2 * room} height={24} rx={5} />
      <Shape look={look} x={x} y={y} width={width} count={count} />
    </g>
  );
}

const countOf = ({ subject }: PlacedMark): number => {
  if (subject.kind === 'commit') return subject.commits.length;
  if (subject.kind === 'attempt') return subject.attempts.length;
  return subject.kind === 'timer' ? subject.timers.length : 1;
};

export const classOf = (look: string): string => look.replaceAll(' ', '-');
