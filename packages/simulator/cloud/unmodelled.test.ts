import { expect, test } from 'vitest';
import { allowStatement, CLIENT, createCloud, functionResource, TABLE } from '../support/clouds.js';
import { NotModelled } from '../wire/operation.js';
import { answerUnmodelled } from './unmodelled.js';

const POOL = {
  Pool: { Type: 'AWS::Cognito::UserPool', Properties: {} },
  Client: { Type: 'AWS::Cognito::UserPoolClient', Properties: { UserPoolId: { Ref: 'Pool' } } },
};
const RIGHTS = [allowStatement(['cognito-idp:*', 'dynamodb:*'], '*')];
/** A client of the real host, whose operation stands in a header. */
const COGNITO = `const ask = async (operation, input) => {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSCognitoIdentityProviderService.' + operation };
  const answer = await fetch('https://cognito-idp.eu-west-1.amazonaws.com/', { method: 'POST', headers, body: JSON.stringify(input) });
  return { status: answer.status, body: await answer.json() };
};`;
const MAIL = `exports.handler = async () => (await fetch('https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails', { method: 'POST', body: '{}' })).status;`;
const json = (status: number, body: object) => ({ status, headers: {}, body: JSON.stringify(body) });
const refuse = () => json(429, {});

function begin(code: string) {
  const cloud = createCloud({ Table: TABLE, ...POOL, ...functionResource('Work', RIGHTS) }, { Work: code });
  const played = async (event: unknown = {}) => {
    let result: unknown;
    cloud.fn('Shop/Work').invoke(event, (end) => {
      result = end;
    });
    await cloud.world.settle();
    return result;
  };
  return { cloud, played };
}

test.each([
  [
    'a service without a model',
    MAIL,
    'Shop/Work calls POST https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails, and the simulator has no model of this. ' +
      '--outside <module> with a model of email.eu-west-1.amazonaws.com answers it; or leave out the requests that lead to it.',
  ],
  [
    'an operation without a model',
    `${COGNITO} exports.handler = () => ask('AdminListDevices', {});`,
    'Shop/Work calls cognito-idp.AdminListDevices, and the simulator has no model of this. ' +
      '--outside <module> with a model of cognito-idp.eu-west-1.amazonaws.com answers it; or leave out the requests that lead to it.',
  ],
  [
    'a member without a model',
    `${COGNITO} exports.handler = () => ask('ListUsers', { UserPoolId: 'any', Filter: 'custom:tenant = "1"' });`,
    'Shop/Work calls cognito-idp.ListUsers, and the simulator has no model of this: ListUsers with a Filter by custom:tenant. --outside <module>',
  ],
  [
    'an answer that comes later',
    `${COGNITO} exports.handler = async () => {
      const [{ Id: UserPoolId }] = (await ask('ListUserPools', { MaxResults: 5 })).body.UserPools;
      const [{ ClientId }] = (await ask('ListUserPoolClients', { UserPoolId })).body.UserPoolClients;
      return ask('InitiateAuth', { ClientId, AuthFlow: 'USER_SRP_AUTH', AuthParameters: {} });
    };`,
    'Shop/Work calls cognito-idp.InitiateAuth, and the simulator has no model of this: signing in by USER_SRP_AUTH. ',
  ],
  [
    'an operation of DynamoDB',
    `${CLIENT} exports.handler = () => call('DynamoDB_20120810.ExportTableToPointInTime', {});`,
    'Shop/Work calls dynamodb.ExportTableToPointInTime, and the simulator has no model of this',
  ],
])('a call of %s ends a history with the function, the call and the ways out', async (_, code, message) => {
  await expect(begin(code).played()).rejects.toThrow(message);
});

test('a model of a host of AWS answers for a service without a model', async () => {
  const { cloud, played } = begin(MAIL);
  cloud.thirdParties.add('email.eu-west-1.amazonaws.com', { answer: () => json(200, {}), refuse });
  expect(await played()).toEqual({ kind: 'returned', value: 200 });
});

test('a model of a host of AWS answers what the simulator has no model of, and nothing else', async () => {
  const { cloud, played } = begin(`${COGNITO} exports.handler = async () => {
    const known = await ask('ListUserPools', { MaxResults: 5 });
    const [{ Id: UserPoolId }] = known.body.UserPools ?? [{}];
    await ask('AdminCreateUser', { UserPoolId, Username: 'vera' });
    const own = await ask('ListUsers', { UserPoolId });
    const filtered = await ask('ListUsers', { UserPoolId, Filter: 'custom:tenant = "x"' });
    const groups = await ask('AdminListDevices', {});
    const keys = await fetch('https://cognito-idp.eu-west-1.amazonaws.com/' + UserPoolId + '/.well-known/jwks.json');
    return [own.body.Users?.length, filtered.body, groups.body, keys.status];
  };`);
  const asked: unknown[] = [];
  cloud.thirdParties.add('cognito-idp.eu-west-1.amazonaws.com', {
    answer: ({ headers }) => {
      asked.push(headers['x-amz-target']);
      return json(200, { Groups: [] });
    },
    refuse,
  });
  expect(await played()).toEqual({ kind: 'returned', value: [1, { Groups: [] }, { Groups: [] }, 200] });
  const target = 'AWSCognitoIdentityProviderService';
  expect(asked).toEqual([`${target}.ListUsers`, `${target}.AdminListDevices`]);
});

test('a task of a state machine calls no host, so no model of one helps', () => {
  const call = {
    caller: 'Shop/Machine',
    what: 'cognito-idp.ListUsers',
    error: new NotModelled('ListUsers with a Filter'),
  };
  const said =
    'Shop/Machine calls cognito-idp.ListUsers, and the simulator has no model of this: ListUsers with a Filter. ' +
    'Leave out the requests that lead to it.';
  expect(() => answerUnmodelled(call, undefined)).toThrow(said);
  const lines: string[] = [];
  expect(answerUnmodelled(call, (line) => lines.push(line))).toMatchObject({ status: 501 });
  expect(lines).toEqual([said]);
});

test('an error of the simulator itself stays what it is', () => {
  const error = new TypeError('undefined is no function');
  expect(() =>
    answerUnmodelled({ caller: 'Shop/Work', what: 'sqs.SendMessage', host: 'sqs', error }, undefined),
  ).toThrow(error);
});
