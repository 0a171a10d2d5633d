import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { formatNumber } from '../page/format.js';
import { linkTo } from '../page/route.js';
import { toHistoryId } from './history-id.js';
import { countPlayed, groupCells, lookOf, moveInWall, nameCell, type PlacedCell, type Wall } from './wall.js';

/** Shows the cells of a wall: one for each single fault, those of a construct together. Arrows go from cell to cell. */
export function WallView({ wall }: { readonly wall: Wall }) {
  const { cells, outcomes, choice } = wall;
  const groups = useMemo(() => groupCells(cells), [cells]);
  const current = useSignal(0);
  const shown = useSignal<number | undefined>(undefined);
  const frame = useRef<HTMLDivElement>(null);
  if (cells.length === 0) return null;
  const entry = Math.min(current.value, cells.length - 1);
  const press = (event: KeyboardEvent): void => {
    const all = [...(frame.current?.querySelectorAll<HTMLAnchorElement>('[data-cell]') ?? [])];
    const places = all.map((one) => one.getBoundingClientRect()).map(({ x, y }) => ({ x, y }));
    const next = moveInWall(places, entry, event.key);
    if (next === undefined) return;
    event.preventDefault();
    current.value = next;
    all[next]?.focus();
  };
  const looked = cells[shown.value ?? entry];
  return (
    <>
      <p class="looked" aria-hidden="true">
        {looked ? nameCell(looked, outcomes[shown.value ?? entry]) : ''}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in */}
      <div
        ref={frame}
        class="wall"
        role="group"
        aria-label={`${cells.length} histories. Arrows go from cell to cell, Enter opens a history.`}
        onKeyDown={press}
        onMouseLeave={() => {
          shown.value = undefined;
        }}
      >
        {[...groups].map(([owner, group]) => (
          <Group key={owner} owner={owner} group={group} wall={wall}>
            {group.map(({ at, cell }) => {
              const outcome = outcomes[at];
              const name = nameCell(cell, outcome);
              return (
                <a
                  key={at}
                  class={`cell ${lookOf(outcome)}`}
                  href={linkTo('proof', toHistoryId({ ...choice, cell }))}
                  tabIndex={at === entry ? 0 : -1}
                  title={name}
                  data-cell={at}
                  onFocus={() => {
                    current.value = at;
                    shown.value = at;
                  }}
                  onMouseEnter={() => {
                    shown.value = at;
                  }}
                >
                  <span class="unseen">{name}</span>
                </a>
              );
            })}
          </Group>
        ))}
      </div>
    </>
  );
}

interface GroupProps {
  readonly owner: string;
  readonly group: readonly PlacedCell[];
  readonly wall: Wall;
  readonly children: ComponentChildren;
}

function Group({ owner, group, wall, children }: GroupProps) {
  const { played, broken } = countPlayed({ outcomes: group.map(({ at }) => wall.outcomes[at]) });
  return (
    <section>
      <h3>
        {owner.split('/').map((part, at) => (
          <>
            {at === 0 ? '' : '/'}
            {at === 0 ? null : <wbr />}
            {part}
          </>
        ))}
      </h3>
      <p class="numbers">
        {formatNumber(played)} of {formatNumber(group.length)}
        {broken > 0 ? <strong>, {formatNumber(broken)} broken</strong> : null}
      </p>
      <div class="cells">{children}</div>
    </section>
  );
}
