import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { checkAssembly } from '../../cloud/check-assembly.js';
import { callPool } from '../../support/clients.js';
import {
  allowStatement,
  arnOf,
  createCloud,
  functionResource,
  resultsOf,
  writeAssembly,
} from '../../support/clouds.js';
import { decodeToken } from './jwt.js';

const POOL = { UserPoolId: 'eu-west-1_ShopPool' };
const PASSWORD = 'Str0ng-word';
const ALICE = { ...POOL, Username: 'alice' };

const resources = (pool: { [name: string]: Json } = {}) => ({
  Pool: { Type: 'AWS::Cognito::UserPool', Properties: pool },
  Client: {
    Type: 'AWS::Cognito::UserPoolClient',
    Properties: { UserPoolId: { Ref: 'Pool' }, ExplicitAuthFlows: ['ALLOW_USER_PASSWORD_AUTH'] },
  },
  Admins: group({ GroupName: 'admins', Precedence: 1, RoleArn: 'arn:aws:iam::123456789012:role/admin' }),
  Clerks: group({ Precedence: 2, Description: 'at the desk', RoleArn: 'arn:aws:iam::123456789012:role/clerk' }),
});

function group(more: { [name: string]: Json }) {
  return { Type: 'AWS::Cognito::UserPoolGroup', Properties: { UserPoolId: { Ref: 'Pool' }, ...more } };
}

/** Creates an account with a pool, two groups and a user. */
async function create(pool: { [name: string]: Json } = {}, more = {}, code = {}) {
  const cloud = createCloud({ ...resources(pool), ...more }, code);
  const call = callPool(cloud);
  /** Signs alice in. @returns the claims of her tokens */
  const signIn = async () => {
    const { AuthenticationResult: tokens } = await call('InitiateAuth', {
      ClientId: 'ShopClient',
      AuthFlow: 'USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: 'alice', PASSWORD },
    });
    return { access: decodeToken(tokens.AccessToken)?.claims, id: decodeToken(tokens.IdToken)?.claims };
  };
  await call('AdminCreateUser', ALICE);
  await call('AdminSetUserPassword', { ...ALICE, Password: PASSWORD, Permanent: true });
  return { cloud, call, signIn };
}

/** Amazon Cognito, "Adding groups to a user pool". */
test('tokens of a user have the groups and their roles', async () => {
  const { call, signIn } = await create();
  expect(Object.keys((await signIn()).access ?? {})).not.toContain('cognito:groups');
  for (const GroupName of ['Shop-Clerks', 'admins']) await call('AdminAddUserToGroup', { ...ALICE, GroupName });
  const { access, id } = await signIn();
  expect(access?.['cognito:groups']).toEqual(['Shop-Clerks', 'admins']);
  expect(id).toMatchObject({
    'cognito:groups': ['Shop-Clerks', 'admins'],
    'cognito:roles': ['arn:aws:iam::123456789012:role/clerk', 'arn:aws:iam::123456789012:role/admin'],
    'cognito:preferred_role': 'arn:aws:iam::123456789012:role/admin',
  });
  await call('CreateGroup', { ...POOL, GroupName: 'owners', Precedence: 1, RoleArn: 'arn:other' });
  await call('AdminAddUserToGroup', { ...ALICE, GroupName: 'owners' });
  // Two groups with the same precedence have no preferred role.
  expect(Object.keys((await signIn()).id ?? {})).not.toContain('cognito:preferred_role');
});

test('groups are created, listed, read, left and deleted', async () => {
  const { call } = await create();
  const namesOf = ({ Groups }: { Groups: readonly { readonly GroupName: string }[] }) =>
    Groups.map(({ GroupName }) => GroupName);
  expect(await call('CreateGroup', { ...POOL, GroupName: 'guests' })).toMatchObject({
    Group: { GroupName: 'guests', ...POOL },
  });
  expect(await call('CreateGroup', { ...POOL, GroupName: 'guests' })).toContain('GroupExistsException');
  expect(namesOf(await call('ListGroups', POOL))).toEqual(['admins', 'Shop-Clerks', 'guests']);
  expect(await call('GetGroup', { ...POOL, GroupName: 'Shop-Clerks' })).toMatchObject({
    Group: { Description: 'at the desk', Precedence: 2 },
  });
  for (const GroupName of ['guests', 'admins']) await call('AdminAddUserToGroup', { ...ALICE, GroupName });
  expect(namesOf(await call('AdminListGroupsForUser', ALICE))).toEqual(['guests', 'admins']);
  expect(await call('ListUsersInGroup', { ...POOL, GroupName: 'guests' })).toMatchObject({
    Users: [{ Username: 'alice' }],
  });
  await call('AdminRemoveUserFromGroup', { ...ALICE, GroupName: 'admins' });
  expect(namesOf(await call('AdminListGroupsForUser', ALICE))).toEqual(['guests']);
  await call('DeleteGroup', { ...POOL, GroupName: 'guests' });
  expect(namesOf(await call('AdminListGroupsForUser', ALICE))).toEqual([]);
  expect(await call('AdminAddUserToGroup', { ...ALICE, GroupName: 'guests' })).toContain(
    'ResourceNotFoundException: Group not found.',
  );
  expect(await call('AdminAddUserToGroup', { ...POOL, Username: 'bob', GroupName: 'admins' })).toContain(
    'UserNotFoundException',
  );
});

/** Amazon Cognito, "Pre token generation Lambda trigger". */
test.each([
  ["{ groupsToOverride: ['changed'] }", ['changed']],
  ['null', undefined],
  ['{}', undefined],
  ['undefined', ['admins']],
])('a function before a token gets the groups, and may override them by %s', async (details, groups) => {
  const code = `exports.handler = async (event) => ({ ...event, response: { claimsOverrideDetails: {
    claimsToAddOrOverride: { was: event.request.groupConfiguration.groupsToOverride.join() },
    groupOverrideDetails: ${details} } } });`;
  const { call, signIn } = await create(
    { LambdaConfig: { PreTokenGeneration: arnOf('Ask') } },
    {
      ...functionResource('Ask'),
      May: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: arnOf('Ask'),
          Principal: 'cognito-idp.amazonaws.com',
          SourceArn: arnOf('Pool'),
        },
      },
    },
    { Ask: code },
  );
  await call('AdminAddUserToGroup', { ...ALICE, GroupName: 'admins' });
  const { id } = await signIn();
  expect([id?.['cognito:groups'], id?.was]).toEqual([groups, 'admins']);
});

test('a function needs the right to change groups', async () => {
  const code = `const { CognitoIdentityProviderClient, CreateGroupCommand } = require('@aws-sdk/client-cognito-identity-provider');
    exports.handler = async () => {
      try { await new CognitoIdentityProviderClient({}).send(new CreateGroupCommand({ UserPoolId: '${POOL.UserPoolId}', GroupName: 'a' })); return 'created'; }
      catch (error) { return error.name; }
    };`;
  const outcome = async (actions: readonly string[]) => {
    const { cloud } = await create({}, functionResource('Work', [allowStatement(actions, '*')]), { Work: code });
    return resultsOf(cloud);
  };
  expect(await outcome(['cognito-idp:CreateGroup'])).toMatchObject([{ value: 'created' }]);
  expect(await outcome(['cognito-idp:GetGroup'])).toMatchObject([{ value: 'AccessDeniedException' }]);
});

test('a second factor that users may have is fine, and one that they must have is not', () => {
  const found = (MfaConfiguration: string) =>
    checkAssembly(writeAssembly(resources({ MfaConfiguration, EnabledMfas: ['SOFTWARE_TOKEN_MFA'] }))).map(
      ({ what }) => what,
    );
  expect(found('OPTIONAL')).toEqual([]);
  expect(found('ON')).toEqual(['MfaConfiguration']);
});

/** Amazon Cognito user pools API Reference, "ListUsers". */
test.each([
  ['email = "a@b.example"', ['alice']],
  ['email ^= "a@"', ['alice', 'anna']],
  ['name = "Anna \\"A\\""', ['anna']],
  ['username="anna"', ['anna']],
  ['cognito:user_status = "CONFIRMED"', ['alice']],
  ['status = "Enabled"', ['alice', 'anna']],
  ['sub ^= "nobody"', []],
  ['', ['alice', 'anna']],
  ['email > "a"', 'InvalidParameterException: Error while parsing filter.'],
  ['custom:tenant = "a"', expect.stringContaining('ListUsers with a Filter by custom:tenant')],
])('users are listed by a filter: %s', async (Filter, expected) => {
  const { call } = await create();
  const attributes = (email: string, name: string) => ({
    UserAttributes: [
      { Name: 'email', Value: email },
      { Name: 'name', Value: name },
    ],
  });
  await call('AdminUpdateUserAttributes', { ...ALICE, ...attributes('a@b.example', 'Alice') });
  await call('AdminCreateUser', { ...POOL, Username: 'anna', ...attributes('a@c.example', 'Anna "A"') });
  const { Users, ...refused } = await call('ListUsers', { ...POOL, Filter }).then((found) =>
    typeof found === 'string' ? { Users: undefined, refused: found } : found,
  );
  const names = (Users as readonly { readonly Username: string }[] | undefined)?.map(({ Username }) => Username);
  expect(names ?? refused.refused).toEqual(expected);
});
