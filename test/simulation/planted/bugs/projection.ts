import { bugsIn, type PlantedBug } from '../bug.js';

const projection = bugsIn('packages/kit/projection/projection.ts');
const rebuilder = bugsIn('packages/kit/projection/rebuilder.ts');
const replay = bugsIn('packages/kit/projection/replay.ts');
const versions = bugsIn('packages/kit/projection/versions.ts');

export const PROJECTION: readonly PlantedBug[] = [
  projection('a list shows whichever version came last', 'place-one', {
    from: "'attribute_not_exists(pk) OR version < :version'",
    to: "'attribute_not_exists(pk) OR version <> :version'",
  }),
  rebuilder('old rows are deleted as soon as it has switched', 'rebuild-under-load', {
    from: 'const DRAIN_SECONDS = 60;',
    to: 'const DRAIN_SECONDS = 0;',
  }),
  replay('a rebuild compares with the rows of a moment ago', 'rebuild-behind-feed', {
    from: 'ConsistentRead: true',
    to: 'ConsistentRead: false',
  }),
  versions('a consumer shows an event in the version that is read only', 'rebuild-under-load', {
    from: 'builds === undefined ? [reads] : [builds, reads]',
    to: '[reads].concat(builds === undefined ? [] : [])',
  }),
  versions('a row is put into the version that is read before the one that is built', 'rebuild-switches', {
    from: 'builds === undefined ? [reads] : [builds, reads]',
    to: 'builds === undefined ? [reads] : [reads, builds]',
  }),
];
