import { Random } from '../../packages/simulator/engine/random.js';

/** Draws some of all, without repetition. The same seed draws the same ones. */
export const draw = <Item>(all: readonly Item[], count: number, seed: string): readonly Item[] =>
  new Random(seed).shuffle(all).slice(0, count);
