import type { Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { linkTo } from '../page/route.js';
import { listen } from '../page/stream.js';
import type { MapCounts } from '../server/map-contract.js';
import { type Dots, showDots } from './dots.js';
import { fit, type Layout, layOut, middleOf, type Place, pathOf } from './layout.js';
import { describeLineCount, type LineCount } from './line-counts.js';
import { movesOf } from './motion.js';
import { describeCounts, type Picture, type PictureBox, sumCounts } from './picture.js';

type Counts = Signal<MapCounts['counts']>;

/** The picture: boxes that are links, lines between them, and messages that move along the lines. */
export function MapPicture(props: {
  readonly picture: Picture;
  readonly counts: Counts;
  readonly moved: Signal<readonly LineCount[]>;
  readonly selected?: string | undefined;
  /** Whether it is made as wide as the page. */
  readonly isFitted: boolean;
}) {
  const { picture, counts, moved, selected, isFitted } = props;
  const layout = useMemo(() => layOut(picture), [picture]);
  const drawing = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = drawing.current;
    if (!svg) return undefined;
    const dots: Dots = showDots(svg);
    const end = listen((happened) => {
      for (const move of movesOf(happened, picture.lines)) dots.add(move);
    });
    return () => {
      end();
      dots.end();
    };
  }, [picture]);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const place = selected === undefined ? undefined : layout.boxes.get(selected);
    const seen = frame.current;
    if (!place || !seen) return;
    seen.scrollLeft = place.x + place.width / 2 - seen.clientWidth / 2;
    seen.scrollTop = place.y + place.height / 2 - seen.clientHeight / 2;
  }, [layout, selected]);
  const { width, height } = layout;
  return (
    // A picture that is wider than the page is scrolled by keys, so it can be focused.
    <section
      ref={frame}
      class={isFitted ? 'map-picture fitted' : 'map-picture'}
      aria-label="Picture of the map"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need the focus (WCAG 2.1.1)
      tabIndex={0}
    >
      <svg ref={drawing} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <title>Resources and what goes between them</title>
        <defs>
          <marker id="map-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" class="map-tip" />
          </marker>
        </defs>
        {layout.lines.map((points, at) => {
          const { from, to, kinds } = picture.lines[at] ?? { from: '', to: '', kinds: [] };
          const isSelected = selected !== undefined && (from === selected || to === selected);
          return (
            <path
              key={`${from} ${to}`}
              class={`map-line ${kinds.join(' ')}${isSelected ? ' selected' : ''}`}
              data-line={at}
              d={pathOf(points)}
              marker-end="url(#map-tip)"
            />
          );
        })}
        {picture.boxes.map((box) => {
          const place = layout.boxes.get(box.id);
          return place ? (
            <Box key={box.id} box={box} place={place} counts={counts} isSelected={box.id === selected} />
          ) : null;
        })}
        <Moved layout={layout} moved={moved} />
        <g class="map-dots" />
      </svg>
    </section>
  );
}

/** Numbers of what has moved along the lines. They change often, so nothing else is drawn again for them. */
function Moved({ layout, moved }: { readonly layout: Layout; readonly moved: Signal<readonly LineCount[]> }) {
  return (
    <g class="map-moved">
      {moved.value.map((count, line) => {
        const said = describeLineCount(count);
        const points = layout.lines[line];
        if (said === '' || !points) return null;
        const { x, y } = middleOf(points);
        return (
          // Lines have no identity but their place.
          <text key={`${line}`} x={x} y={y - 3} class={count.failed > 0 ? 'failed' : undefined}>
            {said}
          </text>
        );
      })}
    </g>
  );
}

function Box(props: {
  readonly box: PictureBox;
  readonly place: Place;
  readonly counts: Counts;
  readonly isSelected: boolean;
}) {
  const { box, place, counts, isSelected } = props;
  const own = sumCounts(box, counts.value);
  const said = describeCounts(own);
  const name = [`${box.title}, ${box.detail}`, said].filter((part) => part !== '').join(': ');
  const classes = [
    'map-box',
    box.kind,
    box.isDeadLetter && 'dead',
    own.errors > 0 && 'failing',
    isSelected && 'selected',
  ];
  const middle = place.height / 2;
  const content = (
    <>
      <title>{name}</title>
      <rect width={place.width} height={place.height} rx={box.kind === 'service' ? 10 : 4} />
      <text x={12} y={said === '' ? middle - 3 : 18} class="map-title">
        {fit(box.title)}
      </text>
      <text x={12} y={said === '' ? middle + 14 : 32} class="map-detail">
        {fit(box.detail)}
      </text>
      {said === '' ? null : (
        <text x={12} y={46} class="map-counts">
          {fit(said)}
        </text>
      )}
    </>
  );
  const common = {
    class: classes.filter((one) => one !== false).join(' '),
    transform: `translate(${place.x} ${place.y})`,
  };
  if (box.place === '') return <g {...common}>{content}</g>;
  return (
    <a {...common} href={linkTo('map', box.place)} aria-current={isSelected ? 'true' : undefined}>
      {content}
    </a>
  );
}
