import { expect, test } from 'vitest';
import { allowStatement, createCloud, functionResource, resultsOf } from '../../support/clouds.js';

const SIGNED: Readonly<Record<string, string>> = {
  'version 4': `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=ASIASIMULATED%2F20260105%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date=' +
    new Date().toISOString().replace(/[-:]|\\.\\d+/g, '') + '&X-Amz-Expires=60&X-Amz-Signature=0&X-Amz-Security-Token=' + process.env.AWS_SESSION_TOKEN`,
  'version 2': `AWSAccessKeyId=ASIASIMULATED&Signature=0&Expires=' + (Math.floor(Date.now() / 1000) + 60) + '&x-amz-security-token=' + process.env.AWS_SESSION_TOKEN`,
};
const signing = (query: string): string =>
  `exports.handler = async () => 'https://files.s3.eu-west-1.amazonaws.com/a?${query};`;
const FETCH = `exports.handler = async (address) => {
  const answer = await fetch(address);
  return answer.status + ' ' + await answer.text();
};`;

/** One function signs addresses; another one, which may do nothing, reads them. */
function shop(query: string, rights: readonly string[] = ['s3:GetObject']) {
  const cloud = createCloud(
    {
      Files: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'files' } },
      ...functionResource('Sign', [allowStatement(rights, '*')]),
      ...functionResource('Fetch'),
    },
    { Sign: signing(query), Fetch: FETCH },
  );
  cloud.buckets.put('files', 'a', 'lamp');
  return {
    cloud,
    sign: async () => {
      const [result] = await resultsOf(cloud, 'Shop/Sign');
      return result?.kind === 'returned' ? String(result.value) : '';
    },
    fetch: async (address: string) => await resultsOf(cloud, 'Shop/Fetch', address),
  };
}

/** "Download and upload objects with presigned URLs": it has the rights of who created it, and ends. */
test.each(Object.entries(SIGNED))(
  'an address that a function has signed in %s has its rights, until it ends',
  async (_, query) => {
    const { cloud, sign, fetch } = shop(query);
    const address = await sign();
    expect(await fetch(address)).toEqual([{ kind: 'returned', value: '200 lamp' }]);
    cloud.world.after(61_000, () => undefined);
    await cloud.world.settle();
    expect(await fetch(address)).toEqual([
      { kind: 'returned', value: expect.stringMatching(/^403 .*Request has expired/s) },
    ]);
  },
);

test('it has no right that who has signed it lacks', async () => {
  const { sign, fetch } = shop(SIGNED['version 4'] ?? '', ['s3:PutObject']);
  expect(await fetch(await sign())).toEqual([
    { kind: 'returned', value: expect.stringMatching(/^403 .*AccessDenied/s) },
  ]);
});
