import { describe, expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { allowStatement, arnOf, createCloud, functionResource } from '../../support/clouds.js';

/**
 * A function that carries out a list of KMS calls, each with values from earlier answers; it returns the results as
 * JSON.
 */
const WORK = `const call = (operation, body) => new Promise((resolve, reject) => {
  const request = require('https').request({
    method: 'POST', host: 'aws', path: '/', headers: { 'X-Amz-Target': 'TrentService.' + operation },
  });
  request.on('error', reject);
  request.on('response', (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => resolve(JSON.parse(text)));
  });
  request.end(JSON.stringify(body));
});
exports.handler = async ({ key, made = { purpose: 'data', person: 'ada' }, opened = made, named = key }) => {
  const generated = await call('GenerateDataKey', { KeyId: key, KeySpec: 'AES_256', EncryptionContext: made });
  const { CiphertextBlob, Plaintext } = generated;
  if (!Plaintext) return generated;
  const answer = await call('Decrypt', { KeyId: named, CiphertextBlob, EncryptionContext: opened });
  return { ...answer, same: answer.Plaintext === Plaintext, bytes: Buffer.from(Plaintext, 'base64').length };
};`;

const ROOT = { AWS: 'arn:aws:iam::123456789012:root' };
const key = (Statement: Json = { Effect: 'Allow', Action: 'kms:*', Resource: '*', Principal: ROOT }) => ({
  Type: 'AWS::KMS::Key',
  Properties: { KeyPolicy: { Statement } },
});
const ARN = 'arn:aws:kms:eu-west-1:123456789012:key/Shop-Key';
const BOTH = allowStatement(['kms:GenerateDataKey', 'kms:Decrypt'], arnOf('Key'), {
  StringEquals: { 'kms:EncryptionContext:purpose': 'data' },
});

async function played(event: object = {}, rights: Json = BOTH, Key = key(), more: { [name: string]: Json } = {}) {
  const cloud = createCloud({ Key, Other: key(), ...functionResource('Work', [rights]), ...more }, { Work: WORK });
  let value: unknown;
  cloud.fn('Shop/Work').invoke({ key: ARN, ...event }, (result) => {
    value = result.kind === 'returned' ? result.value : result;
  });
  await cloud.world.settle();
  return value;
}

test('a wrapped key opens with its context, whatever its order', async () => {
  expect(await played()).toMatchObject({ KeyId: ARN, same: true, bytes: 32 });
  expect(await played({ opened: { person: 'ada', purpose: 'data' } })).toMatchObject({ same: true });
  expect(await played({ key: 'Shop-Key' })).toMatchObject({ KeyId: ARN, same: true });
});

test.each([
  ['another context', { opened: { purpose: 'data', person: 'bob' } }, 'InvalidCiphertextException'],
  ['a context more', { opened: { purpose: 'data', person: 'ada', more: 'x' } }, 'InvalidCiphertextException'],
  ['another key', { named: ARN.replace('Shop-Key', 'Shop-Other') }, 'AccessDeniedException'],
])('it does not open with %s', async (_, event, __type) => expect(await played(event)).toMatchObject({ __type }));

test('another key that the caller may use is the wrong one', async () => {
  const rights = allowStatement(['kms:GenerateDataKey', 'kms:Decrypt'], '*');
  const named = ARN.replace('Shop-Key', 'Shop-Other');
  expect(await played({ named }, rights)).toMatchObject({ __type: 'IncorrectKeyException' });
});

test.each([
  ['a right of the role', { made: { purpose: 'data' } }, allowStatement(['kms:Decrypt'], arnOf('Key')), key()],
  ['the context that the right asks for', { made: { purpose: 'other' } }, BOTH, key()],
  ["the key's own policy", {}, BOTH, key({ Effect: 'Allow', Action: 'kms:Describe*', Resource: '*', Principal: ROOT })],
])('the call is denied without %s', async (_, event, rights, Key) =>
  expect(await played(event, rights, Key)).toMatchObject({ __type: 'AccessDeniedException' }),
);

describe("a key's policy that asks for a tag of the caller's role", () => {
  const tagged = (Tags: Json) => ({ WorkRole: { Type: 'AWS::IAM::Role', Properties: { Tags } } });
  const asking = key({
    Effect: 'Allow',
    Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
    Resource: '*',
    Principal: ROOT,
    Condition: { StringEquals: { 'aws:PrincipalTag/opens': 'data' } },
  });

  test('lets a role with the tag use the key', async () => {
    expect(await played({}, BOTH, asking, tagged([{ Key: 'opens', Value: 'data' }]))).toMatchObject({ same: true });
  });

  test.each([
    ['none', []],
    ['another value', [{ Key: 'opens', Value: 'doors' }]],
    ['another name', [{ Key: 'shuts', Value: 'data' }]],
  ])('denies it to a role with %s, whatever its rights', async (_, tags) => {
    const everything = allowStatement(['kms:*'], '*');
    expect(await played({}, everything, asking, tagged(tags))).toMatchObject({ __type: 'AccessDeniedException' });
  });
});

test('the same seed makes the same keys', async () => expect(await played()).toEqual(await played()));
