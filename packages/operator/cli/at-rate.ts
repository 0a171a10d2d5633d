import type { Interruption } from './interruptible.js';

/**
 * Sends portions of something at a rate, until the work ends it or the operator stops.
 * @param rate maximum number per second
 * @param send returns how many were sent, or why it ends
 * @returns `undefined` if there are no more portions
 */
export async function atRate<Item, Why extends string>(
  portions: Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>,
  { rate, wait, stopped }: Interruption & { readonly rate: number },
  send: (portion: readonly Item[]) => Promise<Why | number>,
): Promise<Why | 'stopped' | undefined> {
  let before = 0;
  for await (const portion of portions) {
    if (before > 0) await wait(before / rate);
    if (stopped()) return 'stopped';
    const sent = await send(portion);
    if (typeof sent === 'string') return sent;
    before = sent;
  }
  return undefined;
}

/** Cuts items into portions. */
export function* portionsOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
