import { useAnswer } from '../page/loading.js';

/** Items and lines that name a message: of a local cloud, and of `orderly stored`. */
export interface Stored {
  readonly items: readonly {
    readonly table: string;
    readonly key: string;
    /** The item, or its JSON. */
    readonly item: object | string;
  }[];
  readonly lines: readonly { readonly at: number | string; readonly owner: string; readonly line: string }[];
  /** Whether there is more than one answer shows. */
  readonly more: boolean;
  /** Why the log could not be read. */
  readonly unread?: string;
}

/** Items and log lines that name a message, as they are stored: personal data is sealed there. @param path that answers with them */
export function StoredRecords({ path }: { readonly path: string }) {
  const stored = useAnswer<Stored>(path).value;
  if (stored.state === 'loading') return <p class="state">Reading what is stored …</p>;
  if (stored.state === 'failed') return <p class="state failed">{stored.error.message}</p>;
  const { items, lines, more, unread } = stored.answer;
  return (
    <>
      <h3>Items that name it</h3>
      {items.length === 0 ? <p class="state">No item names it any more.</p> : null}
      {items.map(({ table, key, item }) => (
        <details key={table + key}>
          <summary>
            {key} <span class="table">in {table}</span>
          </summary>
          <pre>{typeof item === 'string' ? formatLine(item) : JSON.stringify(item, null, 2)}</pre>
        </details>
      ))}
      <h3>Log lines</h3>
      {lines.length > 0 ? null : unread === undefined ? (
        <p class="state">No log line names it.</p>
      ) : (
        <p class="state failed">The log can't be read: {unread}</p>
      )}
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
