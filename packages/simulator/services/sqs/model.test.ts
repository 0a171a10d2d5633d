import { expect, test } from 'vitest';
import { type FaultKind, FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, QUEUE_RIGHTS } from '../../support/clouds.js';

const LOG_BODIES = `exports.handler = async ({ Records }) => {
  for (const { body, attributes } of Records) console.log(body + ' ' + attributes.ApproximateReceiveCount);
`;

function shop({ code = `${LOG_BODIES}};`, mapping = {}, queue = {}, rights = QUEUE_RIGHTS, fault = '' } = {}) {
  const [point = '', kind = ''] = fault.split(': ');
  const cloud = createCloud(
    {
      Dead: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 1_209_600 } },
      Queue: {
        Type: 'AWS::SQS::Queue',
        Properties: {
          VisibilityTimeout: 60,
          RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 },
          ...queue,
        },
      },
      ...functionResource('Work', [allowStatement(rights, arnOf('Queue'))]),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Work' }, ...mapping },
      },
    },
    { Work: code },
    { faults: new FixedFaults(fault === '' ? [] : [{ point, kind: kind as FaultKind }]) },
  );
  return {
    cloud,
    queue: cloud.queue('Shop/Queue'),
    dead: cloud.queue('Shop/Dead'),
    /** Lines of the function's own code. */
    said: () => cloud.log.flatMap(({ level, text }) => (/^(error|warn)$/.test(level) ? [] : text)),
  };
}

test('a message is handled and deleted', async () => {
  const { cloud, queue, said } = shop();
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual(['a 1']);
  expect(queue.listMessages()).toEqual([]);
});

test('a message whose function fails comes again after its visibility timeout, and at last goes to the dead letters', async () => {
  const { cloud, queue, dead, said } = shop({ code: `${LOG_BODIES} throw new Error('no'); };` });
  const begun = cloud.world.now;
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual(['a 1', 'a 2', 'a 3']);
  expect(cloud.world.now - begun).toBeGreaterThanOrEqual(180_000);
  expect(dead.listMessages().map(({ body, sentAt }) => [body, sentAt])).toEqual([['a', begun]]);
});

const FAILS_B = `${LOG_BODIES}
  return { batchItemFailures: Records.filter(({ body }) => body === 'b').map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

test('with partial answers, only the failed message comes again', async () => {
  const { cloud, queue, dead } = shop({
    code: FAILS_B,
    mapping: { FunctionResponseTypes: ['ReportBatchItemFailures'] },
  });
  for (const body of ['a', 'b', 'c']) queue.send({ body });
  await cloud.world.settle();
  expect(dead.listMessages().map(({ body }) => body)).toEqual(['b']);
});

test('without partial answers, the content of the answer is ignored', async () => {
  const { cloud, queue, dead } = shop({ code: FAILS_B });
  for (const body of ['a', 'b', 'c']) queue.send({ body });
  await cloud.world.settle();
  expect(dead.listMessages()).toEqual([]);
});

test('a partial answer that names an unknown message fails its whole batch', async () => {
  const code = "exports.handler = async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] });";
  const { cloud, queue, dead } = shop({ code, mapping: { FunctionResponseTypes: ['ReportBatchItemFailures'] } });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(dead.listMessages()).toHaveLength(1);
});

test('a duplicate comes after the message was deleted', async () => {
  const { cloud, queue, said } = shop({ fault: 'Shop/Queue message 1: late-duplicate' });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual(['a 1', 'a 1']);
});

test('a fault follows its message: the function crashes with its batch each time that it comes, until it has passed', async () => {
  const fault = 'Shop/Queue message 2: crashes-its-function';
  const { cloud, queue, dead, said } = shop({
    fault,
    queue: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 5 } },
  });
  for (const body of ['a', 'b']) queue.send({ body });
  await cloud.world.settle();
  expect(said().filter((text) => text.startsWith('b'))).toEqual(['b 1', 'b 2', 'b 3', 'b 4']);
  expect([...queue.listMessages(), ...dead.listMessages()]).toEqual([]);
});

test('a fault that follows its message never makes it a dead letter', async () => {
  const { cloud, queue, dead, said } = shop({ fault: 'Shop/Queue message 1: crashes-its-function' });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual(['a 1', 'a 2', 'a 3']);
  expect([...queue.listMessages(), ...dead.listMessages()]).toEqual([]);
});

test('a message that is older than its retention is gone', async () => {
  const { cloud, queue } = shop({ rights: [], queue: { MessageRetentionPeriod: 60 } });
  queue.send({ body: 'a' });
  await cloud.world.pass(61_000);
  expect(queue.listMessages()).toEqual([]);
  expect(queue.fates.map(({ fate }) => fate)).toEqual(['expired']);
});

test('the mapping stands still and says so without the right to receive', async () => {
  const { cloud, queue, said } = shop({ rights: ['sqs:DeleteMessage'] });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual([]);
  expect(cloud.world.trace.lines.some((line) => line.includes('may not sqs:ReceiveMessage'))).toBe(true);
});

test('the trace says when a message becomes visible while it is handled', async () => {
  const code = 'exports.handler = () => new Promise((resolve) => setTimeout(resolve, 5000));';
  const { cloud, queue } = shop({ code, queue: { VisibilityTimeout: 2 } });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(cloud.world.trace.lines.filter((line) => line.includes('OVERLAP'))).not.toEqual([]);
});

test('there are never more invocations at once than the mapping allows', async () => {
  const code = 'exports.handler = () => new Promise((resolve) => setTimeout(resolve, 1000));';
  const { cloud, queue } = shop({ code, mapping: { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } } });
  for (let number = 0; number < 6; number++) queue.send({ body: String(number) });
  const begun = cloud.world.now;
  await cloud.world.until(() => queue.listMessages().length === 0);
  expect(cloud.world.now - begun).toBeGreaterThanOrEqual(3_000);
});

/** Returns the function's answer to a batch of messages, and the messages that are in the queue afterwards. */
async function batch(Entries: readonly object[], { rights = ['sqs:SendMessage'], refuse = -1 } = {}) {
  const cloud = createCloud(
    {
      Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
      ...functionResource('Work', [allowStatement(rights, arnOf('Queue'))], {
        Environment: { Variables: { URL: { Ref: 'Queue' } } },
      }),
    },
    {
      Work: `${CLIENT} exports.handler = (Entries) =>
        call('AmazonSQS.SendMessageBatch', { QueueUrl: process.env.URL, Entries });`,
    },
  );
  if (refuse >= 0)
    cloud.calls.interceptor = { beforeCall: () => new Map([[refuse, 'InternalError']]), afterCall: () => undefined };
  let answer: unknown;
  cloud.fn('Shop/Work').invoke(Entries, (result) => {
    answer = result.kind === 'returned' ? result.value : result;
  });
  await cloud.world.settle();
  return {
    answer,
    inside: cloud
      .queue('Shop/Queue')
      .listMessages()
      .map(({ body, attributes }) => ({ body, attributes })),
  };
}
const entry = (Id: string, MessageBody = Id) => ({ Id, MessageBody });

test('each entry of a batch passes or fails by itself', async () => {
  const MessageAttributes = { kind: { DataType: 'String', StringValue: 'test' } };
  const { answer, inside } = await batch([{ ...entry('a'), MessageAttributes }, entry('b')], { refuse: 1 });
  expect(answer).toMatchObject({
    body: {
      Successful: [{ Id: 'a', MD5OfMessageBody: '0cc175b9c0f1b6a831c399e269772661' }],
      Failed: [{ Id: 'b', Code: 'InternalError', SenderFault: false }],
    },
  });
  expect(inside).toEqual([{ body: 'a', attributes: MessageAttributes }]);
});

test.each([
  ['EmptyBatchRequest', []],
  ['TooManyEntriesInBatchRequest', Array.from({ length: 11 }, (_, at) => entry(String(at)))],
  ['BatchEntryIdsNotDistinct', [entry('a'), entry('a')]],
  ['BatchRequestTooLong', [entry('a', 'x'.repeat(2 ** 20)), entry('b')]],
])('a batch is refused as a whole: %s', async (code, entries) => {
  const { answer, inside } = await batch(entries);
  expect(answer).toMatchObject({ status: 400, body: { __type: `com.amazonaws.sqs#${code}` } });
  expect(inside).toEqual([]);
});

test('a batch needs the right to send', async () => {
  const { answer, inside } = await batch([entry('a')], { rights: ['sqs:SendMessageBatch'] });
  expect(answer).toMatchObject({ status: 400, body: { __type: 'AccessDeniedException' } });
  expect(inside).toEqual([]);
});

/**
 * A queue that nobody reads, with this many messages of a group in flight, and one more waiting next to one of another
 * group.
 */
function burst(inFlight: number, group?: string) {
  const { cloud, queue } = shop({ rights: [] });
  const send = (body: string, of: string | undefined) => queue.send({ body, ...(of && { group: of }) });
  for (let number = 0; number < inFlight + 100; number++) send('noisy', group);
  for (let received = 0; received < inFlight; received += 10) queue.receive(10);
  send('quiet', 'other');
  return { cloud, next: () => queue.receive(1).map(({ body }) => body) };
}

test('a message of a quiet group comes before those of a group with many in flight', () => {
  expect(burst(60, 'burst').next()).toEqual(['quiet']);
});

test('a group with few messages in flight is not noisy, nor are messages without a group', () => {
  expect(burst(40, 'burst').next()).toEqual(['noisy']);
  expect(burst(60).next()).toEqual(['noisy']);
});

test('a group is noisy no more when its messages have left the flight', async () => {
  const { cloud, next } = burst(60, 'burst');
  await cloud.world.pass(61_000);
  expect(next()).toEqual(['noisy']);
});

test('a message of a batch has its group, and its function reads it', async () => {
  const { answer } = await batch([{ ...entry('a'), MessageGroupId: 'g' }]);
  expect(answer).toMatchObject({ body: { Successful: [{ Id: 'a' }] } });
  const code = 'exports.handler = async ({ Records }) => console.log(Records[0].attributes.MessageGroupId);';
  const { cloud, queue, said } = shop({ code });
  queue.send({ body: 'a', group: 'g' });
  await cloud.world.settle();
  expect(said()).toEqual(['g']);
});
