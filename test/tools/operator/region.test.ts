import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { run } from '../../../tools/operator/command-line.js';
import { resolveEndpoint } from '../../../tools/operator/endpoint.js';

// Whether somebody runs a local cloud in this clone says nothing about these tests.
vi.mock('../../../tools/local/local-run.js', () => ({ readLocalRun: () => undefined }));

const CONFIG = `[default]
region = eu-north-1
[profile ops]
region = eu-west-3
[profile bare]
output = json
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orderly-region-'));
  writeFileSync(join(folder, 'config'), CONFIG);
  for (const name of ['REGION', 'DEFAULT_REGION', 'PROFILE', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'])
    vi.stubEnv(`AWS_${name}`, undefined);
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'));
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('ORDERLY_ENDPOINT', 'aws');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test.each([
  ['the default profile', {}, 'eu-north-1'],
  ['a profile', { AWS_PROFILE: 'ops' }, 'eu-west-3'],
  ['AWS_DEFAULT_REGION before a profile', { AWS_PROFILE: 'ops', AWS_DEFAULT_REGION: 'us-west-2' }, 'us-west-2'],
  ['AWS_REGION before all', { AWS_PROFILE: 'ops', AWS_DEFAULT_REGION: 'x', AWS_REGION: 'sa-east-1' }, 'sa-east-1'],
])('%s', async (_, env: Readonly<Record<string, string>>, region) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  expect(await resolveEndpoint('prod', { isAwsNamed: false })).toEqual({ url: undefined, region });
});

const said = async (...args: readonly string[]) => {
  const err: string[] = [];
  const code = await run(args, { out: expect.fail, err: (text) => err.push(text) });
  return { code, err: err.join('\n') };
};

test('--profile without --region takes the region of that profile, and --region another one', async () => {
  // Without credentials, the place that was asked is all that can be seen.
  expect((await said('status', '--profile', 'ops')).err).toContain("'dev' can't be read at AWS eu-west-3 (");
  const { err } = await said('status', '--profile', 'ops', '--region', 'eu-central-1');
  expect(err).toMatch(/at AWS eu-central-1 \(.*credentials.*\)\.\nNext: sign in to AWS/);
});

test('a profile without a region is said, with what to do', async () =>
  expect(await said('status', '--profile', 'bare')).toEqual({
    code: 1,
    err: `No region: neither --region nor AWS_REGION names one, nor does profile 'bare' in ${join(folder, 'config')}.
Next: add --region <region>, or aws configure set region <region> --profile bare`,
  }));

describe('where nothing runs in this clone', () => {
  beforeEach(() => {
    vi.stubEnv('ORDERLY_ENDPOINT', undefined);
    vi.stubEnv('AWS_REGION', 'sa-east-1');
  });

  test('dev is not taken for AWS, although the shell has a region, and the error says what to do', async () => {
    const { code, err } = await said('status');
    expect({ code, err }).toEqual({
      code: 1,
      err: `Nothing is running in this clone, and nothing says that dev is at AWS.
Next: npm start   (in another terminal); or, for AWS, add --region <region>`,
    });
  });

  test.each([
    ['dev, which the call names', 'dev', true],
    ['prod, which is always there', 'prod', false],
  ])('AWS is meant by %s', async (_, environment, isAwsNamed) =>
    expect(await resolveEndpoint(environment, { isAwsNamed })).toEqual({ url: undefined, region: 'sa-east-1' }),
  );
});
