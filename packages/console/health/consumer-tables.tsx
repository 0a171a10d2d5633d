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
        const rows = consumers.filter((one) => one.kind === kind);
        return rows.length === 0 ? null : (
          <section key={kind} aria-labelledby={`kind-${kind}`}>
            <h2 id={`kind-${kind}`}>{heading}</h2>
            <Table
              caption={`${heading}, with what waits`}
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
            {rows
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

function State({ of: { paused } }: { readonly of: Consumer }) {
  if (!paused) return <span class="good">runs</span>;
  const { since, by, reason } = paused;
  return (
    <span class="bad">
      paused since {formatMoment(Date.parse(since))} by {by}: {reason}
    </span>
  );
}
