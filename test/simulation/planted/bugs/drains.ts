import { bugsIn, type PlantedBug, properties, replaced } from '../bug.js';

const drainFailedBatches = bugsIn('packages/kit/drains/drain-failed-batches.lambda.ts');

export const DRAINS: readonly PlantedBug[] = [
  {
    ...drainFailedBatches(
      'the drain reads whatever lies under the name of a failed batch by now',
      'batches-overwritten',
      {
        from: ", VersionId: object['version-id'] ?? UNVERSIONED",
        to: '',
      },
    ),
    resource: properties(
      'AWS::IAM::Role',
      /^OutboxDrainFailedBatchesRole/,
      replaced('s3:GetObjectVersion', 's3:GetObject'),
    ),
  },
  drainFailedBatches('a request that was given up is recorded as an unpublished commit', 'lane-fails-26-hours', {
    from: 'if (isRequest(record.dynamodb?.Keys?.sk?.S)) await recordRequest(record, condition);',
    to: 'if (isRequest(record.dynamodb?.Keys?.sk?.S) && !condition) await recordRequest(record, condition);',
  }),
  drainFailedBatches('the drain of a failed batch ends after its first record', 'relay-behind-a-day', {
    from: 'of payload?.Records ?? []) {',
    to: 'of (payload?.Records ?? []).slice(0, 1)) {',
  }),
];
