import { ask } from './ask.js';
import type { Happened } from './stream.js';

/** Happenings that are kept: as many as a local cloud remembers. */
export const REMEMBERED = 10_000;
/** Happenings of one answer. */
const PAGE = 1_000;

/**
 * Reads what a local cloud remembers of some kinds, oldest first, page by page. What can't be read is not among it.
 * @param signal ends the reading
 */
export async function readRemembered(kinds: readonly string[], signal: AbortSignal): Promise<readonly Happened[]> {
  const found: Happened[] = [];
  let after = '';
  for (let pages = 0; pages < REMEMBERED / PAGE + 1; pages++) {
    const path = `/_local/events?kind=${kinds.join(',')}${after}`;
    const page = await ask<{ events: readonly Happened[]; last: string }>(path, undefined, signal).catch(
      () => undefined,
    );
    found.push(...(page?.events ?? []));
    if (!page || page.events.length < PAGE) break;
    after = `&after=${encodeURIComponent(page.last)}`;
  }
  return found;
}
