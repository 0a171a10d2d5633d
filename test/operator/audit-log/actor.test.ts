import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createActorLookup } from '../../../packages/operator/audit-log/actor.js';
import { localUserName } from '../../../packages/operator/audit-log/local-user.js';

const ARN = 'arn:aws:sts::123456789012:assumed-role/Operators/olga';
let asked: number;
let status: number;
const sts = createServer((_, response) => {
  asked++;
  response
    .writeHead(status, { 'content-type': 'text/xml' })
    .end(
      `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${ARN}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`,
    );
});

const AWS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_ENDPOINT_URL_STS: '' };
const before = Object.keys(AWS).map((name) => [name, process.env[name]] as const);
beforeEach(async () => {
  asked = 0;
  status = 200;
  await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, AWS, {
    AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(sts.address() as AddressInfo).port}`,
  });
});
afterEach(async () => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await new Promise((resolve) => void sts.close(resolve));
});

describe('the actor of the command line', () => {
  test('the actor is the caller at AWS, who is asked for once', async () => {
    const actor = createActorLookup({ url: undefined, region: 'eu-west-1' });
    expect([await actor(), await actor()]).toEqual([ARN, ARN]);
    expect(asked).toBe(1);
  });

  test('the actor is the user of this machine at an emulator, which has no callers', async () => {
    expect(await createActorLookup({ url: 'http://127.0.0.1:1', region: 'eu-west-1' })()).toBe(localUserName());
    expect(asked).toBe(0);
  });

  test('the actor must be known: nothing is done without a name', async () => {
    status = 403;
    await expect(createActorLookup({ url: undefined, region: 'eu-west-1' })()).rejects.toMatchObject({
      code: 'unreachable',
      next: 'aws sts get-caller-identity',
    });
  });
});
