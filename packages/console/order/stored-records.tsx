import { useAnswer } from '../page/loading.js';

/** Answer to `GET /_local/stored`: what a local cloud stores that names a message. */
export interface Stored {
  readonly items: readonly {
    readonly table: string;
    readonly key: string;
    readonly item: object;
  }[];
  readonly lines: readonly { readonly at: number; readonly owner: string; readonly line: string }[];
  /** Whether there is more than one answer shows. */
  readonly more: boolean;
}

interface StoredProps {
  readonly ids: readonly string[];
  /** Function whose tables and lines are looked at. @default all */
  readonly owner?: string | undefined;
}

/** Items and log lines that name a message, as they are stored: personal data is sealed there. */
export function StoredRecords({ ids, owner }: StoredProps) {
  const query = new URLSearchParams({ ids: ids.join(','), ...(owner !== undefined && { owner }) });
  const stored = useAnswer<Stored>(`/_local/stored?${query}`).value;
  if (stored.state === 'loading') return <p class="state">Reading what is stored …</p>;
  if (stored.state === 'failed') return <p class="state failed">{stored.error.message}</p>;
  const { items, lines, more } = stored.answer;
  return (
    <>
      <h3>Items that name it</h3>
      {items.length === 0 ? <p class="state">No item names it any more.</p> : null}
      {items.map(({ table, key, item }) => (
        <details key={table + key}>
          <summary>
            {key} <span class="table">in {table}</span>
          </summary>
          <pre>{JSON.stringify(item, null, 2)}</pre>
        </details>
      ))}
      <h3>Log lines</h3>
      {lines.length === 0 ? <p class="state">No log line names it.</p> : null}
      {lines.map(({ at, owner: by, line }) => (
        <details key={`${at} ${line}`}>
          <summary>
            {headOf(line)} <span class="table">of {by}</span>
          </summary>
          <pre>{formatLine(line)}</pre>
        </details>
      ))}
      {more ? <p class="state">There is more than this shows.</p> : null}
    </>
  );
}

/** Message of a structured line, or its beginning. */
function headOf(line: string): string {
  try {
    const { level, message } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (typeof message === 'string') return `${typeof level === 'string' ? `${level} ` : ''}${message}`;
  } catch {
    // It is no JSON.
  }
  return line.slice(0, 80);
}

function formatLine(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), null, 2);
  } catch {
    return line;
  }
}
