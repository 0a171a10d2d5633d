import { expect, test } from 'vitest';
import type { Json } from '../assembly/intrinsics.js';
import { PolicyNotModelled } from './policies.js';
import { cloudOf, fn } from './support.js';

const cloudWith = (statement: { [name: string]: Json }) =>
  cloudOf(fn('Work', [{ Effect: 'Allow', ...statement }]), { Work: 'exports.handler = async () => 1;' });

const GET = 'dynamodb:GetItem';

test.each<[string, { [name: string]: Json }]>([
  ['NotResource in a statement', { Action: GET, NotResource: 'arn:aws:dynamodb:eu-west-1:123456789012:table/secret' }],
  ['NotAction in a statement', { NotAction: 'dynamodb:DeleteItem', Resource: '*' }],
  ['NotPrincipal in a statement', { Action: GET, Resource: '*', NotPrincipal: '*' }],
  ['a statement without Action or Resource', { Action: GET }],
  ["condition operator 'IpAddress'", { Action: GET, Resource: '*', Condition: { IpAddress: { 'aws:SourceIp': [] } } }],
])('%s is refused, not guessed', (told, statement) => {
  expect(() => cloudWith(statement)).toThrow(PolicyNotModelled);
  expect(() => cloudWith(statement)).toThrow(`Shop/WorkPolicy: ${told}`);
});

test("a policy of AWS's own is refused by name, since nobody reads it here", () => {
  const ManagedPolicyArns = ['arn:aws:iam::aws:policy/AdministratorAccess'];
  expect(() => cloudOf({ Role: { Type: 'AWS::IAM::Role', Properties: { ManagedPolicyArns } } })).toThrow(
    'Shop/Role: arn:aws:iam::aws:policy/AdministratorAccess',
  );
});
