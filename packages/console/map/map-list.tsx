import type { Signal } from '@preact/signals';
import { linkTo } from '../page/route.js';
import type { MapCounts } from '../server/map-contract.js';
import { describeLineCount, type LineCount } from './line-counts.js';
import { describeCounts, type Picture, type PictureBox, type PictureLine, sumCounts } from './picture.js';

/** The same as the picture, as a table: each box, its numbers, and what goes out of it. */
export function MapList(props: {
  readonly picture: Picture;
  readonly counts: Signal<MapCounts['counts']>;
  readonly moved: Signal<readonly LineCount[]>;
}) {
  const { boxes, lines } = props.picture;
  const titles = new Map(boxes.map(({ id, title }) => [id, title]));
  return (
    <table class="map-list">
      <caption class="unseen">Resources, what waits at them, and where they send</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Kind</th>
          <th scope="col">Now</th>
          <th scope="col">Sends to</th>
        </tr>
      </thead>
      <tbody>
        {boxes.map((box) => (
          <tr key={box.id}>
            <th scope="row">
              <Name box={box} />
            </th>
            <td>{box.detail}</td>
            <td class={sumCounts(box, props.counts.value).errors > 0 ? 'failed' : undefined}>
              {describeCounts(sumCounts(box, props.counts.value)) || 'nothing'}
            </td>
            <td>
              {lines
                .flatMap((line, at) => (line.from === box.id ? describeLine(line, titles, props.moved.value[at]) : []))
                .join('; ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Name({ box }: { readonly box: PictureBox }) {
  return box.place === '' ? <span>{box.title}</span> : <a href={linkTo('map', box.place)}>{box.title}</a>;
}

/** Types that a line of the list names at most. */
const NAMED = 3;

function describeLine(
  { to, kinds, types }: PictureLine,
  titles: ReadonlyMap<string, string>,
  moved: LineCount | undefined,
): string {
  const more = types.length > NAMED ? ` and ${types.length - NAMED} more` : '';
  const what = types.length === 0 ? kinds.join(', ') : `${types.slice(0, NAMED).join(', ')}${more}`;
  const said = moved ? describeLineCount(moved) : '';
  return `${titles.get(to) ?? to} (${what})${said === '' ? '' : `: ${said}`}`;
}
