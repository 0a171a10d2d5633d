import * as z from 'zod/mini';
import type { Item } from '../aws/dynamodb.js';
import { PROJECTIONS, type Versions } from './contract.js';

const Pointer = z.object({
  reads: z.int().check(z.gte(1)),
  builds: z.optional(z.int().check(z.gte(1))),
  last: z.int().check(z.gte(1)),
});

/** Key of the item that says which version is read and which is being built. */
export const pointerKey = (projection: string) => ({ pk: PROJECTIONS + projection, sk: 'POINTER' });

/** What that item says; without one nothing was ever rebuilt. */
export const versionsIn = (pointer: Item | undefined): Versions =>
  pointer ? z.parse(Pointer, pointer) : { reads: 1, last: 1 };

/** Every version that a row is put into, the one that is being built first: a switch then never shows an older row. */
export const liveVersions = ({ reads, builds }: Versions): readonly number[] =>
  builds === undefined ? [reads] : [builds, reads];

/** A key's first word, in capitals, and its version where it isn't 1. */
const WORD = /^([A-Z]+)(?:@(\d+))?/;

/**
 * A row's key in a version: `ORDER#...` is `ORDER@2#...` in version 2. Version 1 has no mark: its rows lie where they lay
 * before there were versions, so that no deployment has to move them.
 */
export const inVersion = (key: string, version: number): string =>
  key.replace(WORD, (_, word: string) => (version === 1 ? word : `${word}@${version}`));

/** The version that a row's key says. */
export const versionOf = (key: string): number => Number(WORD.exec(key)?.[2] ?? 1);
