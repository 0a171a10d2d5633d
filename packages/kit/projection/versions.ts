import * as z from 'zod/mini';
import type { Item } from '../aws/dynamodb.js';
import { PROJECTIONS, type Versions } from './contract.js';

const Pointer = z.object({
  reads: z.int().check(z.gte(1)),
  builds: z.optional(z.int().check(z.gte(1))),
  last: z.int().check(z.gte(1)),
  shape: z.optional(z.int()),
  /** Version that has the shape. A rebuild of an earlier release switches to another one, and leaves these fields as they are. */
  shaped: z.optional(z.int()),
});

/** Returns the key of the pointer: the item that says which version is read and which is being built. */
export const pointerKey = (projection: string) => ({ pk: PROJECTIONS + projection, sk: 'POINTER' });

/** Returns the versions in the pointer. Without a pointer, the projection was never rebuilt. */
export function parseVersions(pointer: Item | undefined): Versions {
  if (!pointer) return { reads: 1, last: 1 };
  const { shape, shaped, ...versions } = z.parse(Pointer, pointer);
  return shape !== undefined && shaped === versions.reads ? { ...versions, shape } : versions;
}

/**
 * Returns every version into which a row is put. The version that is being built comes first, so a switch never shows
 * an older row.
 */
export const listLiveVersions = ({ reads, builds }: Versions): readonly number[] =>
  builds === undefined ? [reads] : [builds, reads];

/** First word of a key, in capitals, and its version if that is not 1. */
const WORD = /^([A-Z]+)(?:@(\d+))?/;

/**
 * Returns a row's key in a version: `ORDER#...` is `ORDER@2#...` in version 2. Version 1 has no mark. Its rows keep the
 * keys that they had before there were versions, so no deployment has to move them.
 */
export const versionedKey = (key: string, version: number): string =>
  key.replace(WORD, (_, word: string) => (version === 1 ? word : `${word}@${version}`));

/** Returns the version that a row's key contains. */
export const parseKeyVersion = (key: string): number => Number(WORD.exec(key)?.[2] ?? 1);
