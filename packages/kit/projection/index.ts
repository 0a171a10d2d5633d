/** Read models: rows that follow from events, made anew by a rebuild. */
export type { Rebuild, RebuildAnswer, RebuildRequest } from './contract.js';
export { type Projection, type Row, readVersions, updateProjection } from './projection.js';
export { rebuilder } from './rebuilder.js';
export { versionedKey } from './versions.js';
