import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { AssemblyNotModelled } from '../../assembly/obstacles.js';
import { allowStatement, CLIENT, createCloud, functionResource } from '../../support/clouds.js';

const cloudWith = (statement: { [name: string]: Json }) =>
  createCloud(functionResource('Work', [{ Effect: 'Allow', ...statement }]), {
    Work: 'exports.handler = async () => 1;',
  });

const GET = 'dynamodb:GetItem';

test.each<[string, { [name: string]: Json }]>([
  ['NotResource in a statement', { Action: GET, NotResource: 'arn:aws:dynamodb:eu-west-1:123456789012:table/secret' }],
  ['NotAction in a statement', { NotAction: 'dynamodb:DeleteItem', Resource: '*' }],
  ['NotPrincipal in a statement', { Action: GET, Resource: '*', NotPrincipal: '*' }],
  ['a statement without Action or Resource', { Action: GET }],
  ["condition operator 'IpAddress'", { Action: GET, Resource: '*', Condition: { IpAddress: { 'aws:SourceIp': [] } } }],
])('%s is refused, not guessed', (told, statement) => {
  expect(() => cloudWith(statement)).toThrow(AssemblyNotModelled);
  expect(() => cloudWith(statement)).toThrow(`(Shop/WorkPolicy): ${told}`);
});

const roleWith = (...ManagedPolicyArns: Json[]) => ({
  Role: { Type: 'AWS::IAM::Role', Properties: { ManagedPolicyArns } },
});

test("a managed policy of AWS allows what AWS's reference says, and is no unused right", () => {
  const cloud = createCloud(
    roleWith({
      'Fn::Join': [
        '',
        ['arn:', { Ref: 'AWS::Partition' }, ':iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole'],
      ],
    }),
  );
  const allows = (action: string): boolean =>
    cloud.iam.roleAllows('arn:aws:iam::123456789012:role/Shop-Role', { action, resource: 'any' });
  expect(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:SendMessage'].map(allows)).toEqual([true, true, false]);
  expect(cloud.iam.listUnused()).toEqual([]);
});

test.each([
  ['AmazonSSMFullAccess', 'ssm:PutParameter', 'sqs:SendMessage'],
  ['AmazonCognitoPowerUser', 'cognito-idp:AdminCreateUser', 'dynamodb:GetItem'],
  ['AmazonCognitoReadOnly', 'cognito-idp:AdminGetUser', 'cognito-idp:AdminCreateUser'],
  ['AmazonKinesisFullAccess', 'kinesis:PutRecord', 's3:GetObject'],
  ['AmazonKinesisReadOnlyAccess', 'kinesis:GetRecords', 'kinesis:PutRecord'],
  ['AmazonEventBridgeFullAccess', 'scheduler:CreateSchedule', 'sqs:SendMessage'],
  ['CloudWatchReadOnlyAccess', 'logs:FilterLogEvents', 'logs:PutLogEvents'],
  ['AWSStepFunctionsReadOnlyAccess', 'states:DescribeExecution', 'states:StartExecution'],
  ['AWSLambdaInvocation-DynamoDB', 'lambda:InvokeFunction', 'dynamodb:PutItem'],
  ['PowerUserAccess', 'dynamodb:PutItem', ''],
])('%s allows %s', (name, allowed, denied) => {
  const cloud = createCloud(roleWith(`arn:aws:iam::aws:policy/${name}`));
  const allows = (action: string): boolean =>
    cloud.iam.roleAllows('arn:aws:iam::123456789012:role/Shop-Role', { action, resource: 'any' });
  expect([allows(allowed), denied !== '' && allows(denied)]).toEqual([true, false]);
});

test("a managed policy that isn't in the table is refused by name", () => {
  const arn = 'arn:aws:iam::aws:policy/AmazonConnect_FullAccess';
  expect(() => createCloud(roleWith(arn))).toThrow(`(Shop/Role): the managed policy ${arn}`);
});

test("a managed policy of the app's own counts for each role that has it", () => {
  const PolicyDocument = { Statement: [allowStatement([GET], '*')] };
  const cloud = createCloud({
    ...roleWith({ Ref: 'Reading' }),
    Reading: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument } },
  });
  const access = { action: GET, resource: 'any' };
  expect(cloud.iam.roleAllows('arn:aws:iam::123456789012:role/Shop-Role', access)).toBe(true);
});

/** Checks whether a role with this condition has permission if a request's context contains these values. */
function permits(Condition: Json, ...values: readonly string[]): boolean {
  const cloud = cloudWith({ Action: GET, Resource: '*', Condition });
  const context = values.length > 0 ? { 'a:key': values } : {};
  return cloud.iam.roleAllows(cloud.fn('Shop/Work').role, { action: GET, resource: 'any', context });
}

const NAMED = { Null: { 'a:key': 'false' } };

test.each<[string, Json, readonly (readonly string[])[], readonly (readonly string[])[]]>([
  ['one value equals', { StringEquals: { 'a:key': ['x', 'y'] } }, [['x'], ['y']], [[], ['z'], ['x', 'y']]],
  ['no value equals', { StringNotEquals: { 'a:key': ['x', 'y'] } }, [[], ['z']], [['x'], ['y']]],
  ['no value is like', { StringNotLike: { 'a:key': 'x.*' } }, [[], ['y.1']], [['x.1']]],
  ['each is like', { 'ForAllValues:StringLike': { 'a:key': 'x*' } }, [[], ['x1'], ['x1', 'x2']], [['x1', 'y']]],
  ['each is like, and one is there', { 'ForAllValues:StringLike': { 'a:key': 'x*' }, ...NAMED }, [['x1']], [[], ['y']]],
  ['one is like', { 'ForAnyValue:StringLike': { 'a:key': 'x*' } }, [['y', 'x']], [[], ['y']]],
  ['one value equals, or none is there', { StringEqualsIfExists: { 'a:key': 'x' } }, [['x'], []], [['y'], ['x', 'y']]],
  ['one is like, or none is there', { 'ForAnyValue:StringLikeIfExists': { 'a:key': 'x*' } }, [['x1'], []], [['y']]],
  ['none is there', { Null: { 'a:key': 'true' } }, [[]], [['x']]],
])('a condition holds where %s', (_, condition, holding, failing) => {
  expect(holding.filter((values) => !permits(condition, ...values))).toEqual([]);
  expect(failing.filter((values) => permits(condition, ...values))).toEqual([]);
});

test('an entry is put where the role allows its source and the policy of the bus does not deny it', async () => {
  const bus = { 'Fn::GetAtt': ['Bus', 'Arn'] };
  const put = `exports.handler = (Entries) => call('AWSEvents.PutEvents', { Entries });`;
  const cloud = createCloud(
    {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } },
      BusPolicy: {
        Type: 'AWS::Events::EventBusPolicy',
        Properties: {
          EventBusName: { Ref: 'Bus' },
          StatementId: 'OwnOnly',
          Statement: {
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 'events:PutEvents',
            Resource: bus,
            Condition: { StringNotLike: { 'events:source': 'shop.*' } },
          },
        },
      },
      ...functionResource('Work', [
        allowStatement(['events:PutEvents'], bus, { StringLike: { 'events:source': ['shop.a', 'other.*'] } }),
      ]),
    },
    { Work: `${CLIENT}\n${put}` },
  );
  const answers: unknown[] = [];
  const entry = (Source: string) => ({ EventBusName: 'shop', Source, DetailType: 'Sold', Detail: '{}' });
  for (const sources of [['shop.a'], ['shop.b'], ['other.a'], ['shop.a', 'shop.b']]) {
    cloud.fn('Shop/Work').invoke(sources.map(entry), (result) => answers.push(result));
    await cloud.world.settle();
  }
  const refused = { kind: 'returned', value: { status: 400, body: { __type: 'AccessDeniedException' } } };
  expect(answers).toMatchObject([{ kind: 'returned', value: { status: 200 } }, refused, refused, refused]);
  expect(cloud.events.accepted.map(({ event }) => event.source)).toEqual(['shop.a']);
});

test('a bus policy of the short form is refused, not guessed', () => {
  const Properties = { EventBusName: { Ref: 'Bus' }, StatementId: 'Open', Action: 'events:PutEvents', Principal: '*' };
  const bus = { Bus: { Type: 'AWS::Events::EventBus' }, Open: { Type: 'AWS::Events::EventBusPolicy', Properties } };
  expect(() => createCloud(bus)).toThrow('AWS::Events::EventBusPolicy (Shop/Open): Action\n');
});
