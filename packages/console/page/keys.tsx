import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Keys of the whole page, and what they do. */
const KEYS = [
  ['?', 'shows these keys'],
  ['/', 'goes to the search: write the id of an order, a message or a request'],
  ['↑ ↓', 'go from line to line in a list or a table; Home and End go to its ends'],
  ['← →', 'go from view to view in the navigation'],
  ['↑ ↓ ← →', "go from mark to mark in an order's picture, and Enter shows the record"],
  ['Esc', 'closes a record, or this'],
] as const;

const isShown = signal(false);

/** The keys of the page, over it, as long as they are asked for. */
export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isShown.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isShown.value]);
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys"
      onClose={() => {
        isShown.value = false;
      }}
    >
      {isShown.value ? <Keys /> : null}
    </dialog>
  );
}

function Keys() {
  return (
    <>
      <h2 id="keys">Keys</h2>
      <dl>
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </>
  );
}

/** Shows the keys: the button for who doesn't know that `?` does. */
export function KeyButton() {
  return (
    <button
      type="button"
      class="key-button"
      aria-label="Keys of this page"
      aria-haspopup="dialog"
      onClick={() => {
        isShown.value = true;
      }}
    >
      ?
    </button>
  );
}

/** Gives the page its keys. A field that somebody writes in keeps its own. */
export function handleKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (event.defaultPrevented || ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
    if (target.closest('input, select, textarea')) return;
    if (key === '?') isShown.value = true;
    else if (key === '/') document.getElementById('search')?.focus();
    else {
      const next = findNext(target, key);
      if (!next) return;
      next.focus();
    }
    event.preventDefault();
  });
}

/** Lines that arrows go between: rows of tables, items of lists. Inner ones come first. */
const LINES = 'tbody tr, ul > li, ol > li';
const FOCUSABLE = 'a[href], button:not([disabled]), summary';

/**
 * Finds what an arrow leads to: the same place in the next line of its list or table that has one.
 * @param from what has the focus
 * @returns `undefined` for another key, and where there is no list
 */
export function findNext(from: HTMLElement, key: string): HTMLElement | undefined {
  const line = from.closest(LINES);
  const isAcross = from.closest('nav') !== null;
  const [back, forth] = isAcross ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  if (!line || ![back, forth, 'Home', 'End'].includes(key)) return undefined;
  const place = listFocusable(line).indexOf(from);
  const lines = [...(line.parentElement?.children ?? [])].filter(
    (one) => one === line || listFocusable(one).length > 0,
  );
  const at = lines.indexOf(line);
  const to = { [back ?? '']: at - 1, [forth ?? '']: at + 1, Home: 0, End: lines.length - 1 }[key] ?? at;
  const found = lines[Math.max(0, Math.min(to, lines.length - 1))];
  if (!found || found === line) return found && from;
  const all = listFocusable(found);
  return all[Math.min(Math.max(0, place), all.length - 1)];
}

const listFocusable = (line: Element): readonly HTMLElement[] => [...line.querySelectorAll<HTMLElement>(FOCUSABLE)];
