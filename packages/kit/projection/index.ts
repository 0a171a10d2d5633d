/** Read models: rows that follow from events, made again by a rebuild. */
export { PROJECTIONS, type Rebuild, type RebuildAnswer, type RebuildRequest } from './contract.js';
export { type Projection, type Row, readVersions, updateProjection } from './projection.js';
export { rebuilder } from './rebuilder.js';
export { versionedKey } from './versions.js';
