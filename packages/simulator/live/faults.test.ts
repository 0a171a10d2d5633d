import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  allowStatement,
  arnOf,
  CLIENT,
  functionResource,
  QUEUE_RIGHTS,
  TABLE,
  writeAssembly,
} from '../support/clouds.js';
import { Control } from './control.js';
import { FAULT_KINDS } from './faults.js';
import { LiveCloud } from './live-cloud.js';
import { CONTROL } from './path.js';

/** Calls, reads and invocations have a function, messages a queue, deliveries a rule. */
const OWNERS = ['Shop/Inbox', 'Shop/Sold', 'Shop/Work'];

const RESOURCES = {
  Things: TABLE,
  Inbox: { Type: 'AWS::SQS::Queue', Properties: {} },
  Other: { Type: 'AWS::SQS::Queue', Properties: {} },
  Sold: {
    Type: 'AWS::Events::Rule',
    Properties: { EventPattern: { source: ['shop'] }, Targets: [{ Id: 'Other', Arn: arnOf('Other') }] },
  },
  ...functionResource(
    'Work',
    [
      allowStatement(QUEUE_RIGHTS, arnOf('Inbox')),
      allowStatement(['dynamodb:PutItem', 'dynamodb:GetItem', 'dynamodb:BatchWriteItem'], arnOf('Things')),
    ],
    { Environment: { Variables: { TABLE: { Ref: 'Things' } } }, Timeout: 2 },
  ),
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: arnOf('Inbox'), FunctionName: arnOf('Work') },
  },
};
const WORK = `${CLIENT} exports.handler = async () => {
  const { TABLE } = process.env;
  const Item = { pk: { S: 'a' } };
  await call('DynamoDB_20120810.GetItem', { TableName: TABLE, Key: Item });
  await call('DynamoDB_20120810.PutItem', { TableName: TABLE, Item });
  await call('DynamoDB_20120810.BatchWriteItem', { RequestItems: { [TABLE]: [{ PutRequest: { Item } }] } });
};`;

let live: LiveCloud;
let control: Control;
const said: string[] = [];
beforeAll(() => {
  live = new LiveCloud({
    folder: writeAssembly(RESOURCES, { Work: WORK }),
    threads: 1,
    log: (line) => said.push(line),
  });
  control = new Control(live);
});
afterAll(() => live.stop());

/** Asks for a fault. @returns the status and the message of the answer */
async function ask(owner: string, kind: string): Promise<{ status: number; message?: string }> {
  const body = JSON.stringify({ owner, kind });
  const request = { method: 'POST', path: `${CONTROL}/fault`, request: { headers: {} }, body };
  const { status, body: answer } = await control.answer(request);
  return { status, message: JSON.parse(answer).message };
}

test.each(FAULT_KINDS)('%s can be asked for by the name of a construct, and happens there', async (kind) => {
  const { message } = await ask('Shop/Nobody', kind);
  const owner = OWNERS.find((one) => message?.includes(one)) ?? 'nobody';
  expect(message).toContain(`is none for ${kind}; there are ${owner}`);
  expect(await ask(owner, kind)).toMatchObject({ status: 200 });
  said.length = 0;
  live.runInside((cloud) => {
    cloud.queue('Shop/Inbox').send({ body: 'work' });
    cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail: {} });
  });
  await live.forward(60_000);
  expect(said).toEqual([expect.stringMatching(new RegExp(`^fault ${kind} at ${owner} `))]);
  expect(live.pendingFaults).toEqual([]);
});

test('a fault that only scenarios of the simulator have is refused in words', async () => {
  expect(await ask('Shop/Inbox', 'lost')).toEqual({
    status: 400,
    message: expect.stringContaining("'lost' is for scenarios of the simulator only; a local cloud makes refused, "),
  });
});
