import { expect, test } from 'vitest';
import { Assembly } from '../../assembly/assembly.js';
import type { Json } from '../../assembly/intrinsics.js';
import { checkAssembly } from '../../cloud/check-assembly.js';
import { Cloud, Deployment } from '../../cloud/cloud.js';
import { addAssetFiles, arnOf, writeAssembly } from '../../support/clouds.js';

/** An app that copies files into a bucket when it is deployed, by the CDK's function in Python. */
function writeSite(more: { readonly [property: string]: Json } = {}): string {
  const app = writeAssembly({
    Files: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'files' } },
    Table: { Type: 'AWS::S3::Bucket', Properties: {} },
    Copier: {
      Type: 'AWS::Lambda::Function',
      Properties: { Runtime: 'python3.13', Handler: 'index.handler', Code: { S3Key: 'Copier.zip' } },
    },
    Copy: {
      Type: 'Custom::CDKBucketDeployment',
      Properties: {
        ServiceToken: arnOf('Copier'),
        SourceBucketNames: ['assets'],
        SourceObjectKeys: ['Site.zip'],
        DestinationBucketName: { Ref: 'Files' },
        ...more,
      },
    },
  });
  addAssetFiles(app, {
    'Site/index.html': '<h1>Shop</h1>',
    'Site/lists/prices.json': '{"bucket":"<<marker:0>>"}',
  });
  return app;
}

const begin = (app: string): Cloud => new Cloud(new Deployment(new Assembly(app)), { seed: '1' });

test('a bucket has the files of its deployment when a history begins', () => {
  const { buckets } = begin(writeSite({ SourceMarkers: [{ '<<marker:0>>': { Ref: 'Table' } }] }));
  expect(buckets.find('files', 'index.html')).toMatchObject({ body: '<h1>Shop</h1>', contentType: 'text/html' });
  expect(buckets.get('files', 'lists/prices.json')).toBe('{"bucket":"shop-table"}');
});

test('they are below the prefix of the deployment', () => {
  const { buckets } = begin(writeSite({ DestinationBucketKeyPrefix: 'site/' }));
  expect(buckets.list('files').map(([key]) => key)).toEqual(['site/index.html', 'site/lists/prices.json']);
});

test.each([
  ['a bucket of another app', { DestinationBucketName: 'elsewhere' }, 'there is no bucket elsewhere'],
  ['a file that is not unpacked', { Extract: false }, 'Extract'],
])('%s is an obstacle', (_, more, what) => {
  expect(checkAssembly(writeSite(more)).map((one) => [one.label, one.what])).toEqual([['Shop/Copy', what]]);
});
