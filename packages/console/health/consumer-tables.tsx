import { CommandBox } from '../commands/command-box.js';
import { formatDuration, formatMoment } from '../page/format.js';
import { Table } from '../page/table.js';
import { type Consumer, KINDS } from './status.js';

interface TablesProps {
  readonly consumers: readonly Consumer[];
  readonly onEnd: () => void;
}

/** What waits at each consumer, inbox, saga and projection. */
export function ConsumerTables({ consumers, onEnd }: TablesProps) {
  return (
    <>
      {Object.entries(KINDS).map(([kind, heading]) => {
        const all = consumers.filter((one) => one.kind === kind);
        const rows = all.filter((one) => !isIdle(one));
        return all.length === 0 ? null : (
          <section key={kind} aria-labelledby={`kind-${kind}`}>
            <h2 id={`kind-${kind}`}>{heading}</h2>
            {rows.length === 0 ? null : <ConsumerTable caption={`${heading} with something to do`} rows={rows} />}
            {all.length === rows.length ? null : (
              <details>
                <summary>{describeIdle(all.length - rows.length, all.length)}</summary>
                <ConsumerTable caption={`${heading} with nothing to do`} rows={all.filter(isIdle)} />
              </details>
            )}
            {all
              .filter(({ paused }) => paused !== undefined)
              .map(({ consumer }) => (
                <CommandBox
                  key={consumer}
                  command={`consumers resume ${consumer}`}
                  label={`Give messages to ${consumer} again`}
                  onEnd={onEnd}
                />
              ))}
          </section>
        );
      })}
      <details>
        <summary>Pause a consumer</summary>
        <CommandBox
          command={'consumers pause <consumer> --reason "<why>"'}
          label="It gets no messages; they wait in its queue for seven days at most"
          onEnd={onEnd}
        />
      </details>
    </>
  );
}

/** Whether nothing waits at a consumer, and nobody has to look at it. */
const isIdle = ({ pending, inFlight, failed, parked = 0, stuck = 0, paused }: Consumer): boolean =>
  pending + inFlight + failed + parked + stuck === 0 && paused === undefined;

const describeIdle = (idle: number, all: number): string =>
  idle === all ? `All ${all} run, and have nothing to do` : `${idle} others run, and have nothing to do`;

function ConsumerTable({ caption, rows }: { readonly caption: string; readonly rows: readonly Consumer[] }) {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ consumer }) => consumer}
      columns={[
        { heading: 'Name', cell: ({ consumer }) => consumer },
        { heading: 'Waiting', cell: ({ pending }) => pending, isNumber: true },
        { heading: 'In flight', cell: ({ inFlight }) => inFlight, isNumber: true },
        {
          heading: 'Oldest',
          cell: ({ oldestSeconds }) => (oldestSeconds ? formatDuration(oldestSeconds * 1000) : null),
        },
        { heading: 'Failed', cell: ({ failed }) => failed, isNumber: true },
        { heading: 'Parked', cell: ({ parked }) => parked || null, isNumber: true },
        { heading: 'Stuck', cell: ({ stuck }) => stuck || null, isNumber: true },
        { heading: 'State', cell: (one) => <State of={one} /> },
      ]}
    />
  );
}

function State({ of: { paused } }: { readonly of: Consumer }) {
  if (!paused) return <span class="good">runs</span>;
  const { since, by, reason } = paused;
  return (
    <span class="bad">
      paused since {formatMoment(Date.parse(since))} by {by}: {reason}
    </span>
  );
}
