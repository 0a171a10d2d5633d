import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  PurgeQueueCommand,
  paginateListQueues,
  QueueDoesNotExist,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { arnOf, createCloud } from '../../support/clouds.js';

const QueueUrl = 'http://127.0.0.1:4566/123456789012/Shop-Queue';
const dead = 'https://sqs.eu-west-1.amazonaws.com/123456789012/Shop-Dead';
const deadArn = 'arn:aws:sqs:eu-west-1:123456789012:Shop-Dead';

function shop() {
  const cloud = createCloud({
    Dead: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 1_209_600 } },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        VisibilityTimeout: 60,
        RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 },
      },
    },
  });
  const { config, unknown, aws } = awsApiOf(cloud);
  return { cloud, unknown, aws, config, sqs: new SQSClient(config), queue: cloud.queue('Shop/Queue') };
}

test('a message is sent, received with its attributes, hidden, and deleted', async () => {
  const { sqs, cloud, queue } = shop();
  const { now } = cloud.world;
  const MessageAttributes = { cause: { DataType: 'String', StringValue: 'test' } };
  const { MessageId } = await sqs.send(
    new SendMessageCommand({ QueueUrl, MessageBody: 'é', MessageGroupId: 'a', MessageAttributes }),
  );
  const receive = new ReceiveMessageCommand({
    QueueUrl,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['ca.*'],
    VisibilityTimeout: 5,
  });
  const { Messages = [] } = await sqs.send(receive);
  expect(Messages).toMatchObject([{ MessageId, Body: 'é', MessageAttributes }]);
  expect(Messages[0]?.Attributes).toEqual({
    SenderId: 'simulated',
    SentTimestamp: String(now),
    ApproximateReceiveCount: '1',
    ApproximateFirstReceiveTimestamp: String(now),
    MessageGroupId: 'a',
  });
  const [message] = queue.listMessages();
  expect(message?.visibleAt).toBe(now + 5_000);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle }));
  expect(queue.listMessages()).toEqual([]);
});

test('batches succeed entry by entry', async () => {
  const { sqs, queue } = shop();
  const Entries = ['a', 'b'].map((MessageBody) => ({ Id: MessageBody, MessageBody }));
  const { Successful } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  expect(Successful?.map(({ Id }) => Id)).toEqual(['a', 'b']);
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  const handles = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
  const hidden = await sqs.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl,
      Entries: [...handles.map((entry) => ({ ...entry, VisibilityTimeout: 9 })), { Id: 'x', ReceiptHandle: 'x~1' }],
    }),
  );
  expect(hidden.Successful).toHaveLength(2);
  expect(hidden.Failed).toMatchObject([{ Id: 'x', Code: 'InvalidParameterValue', SenderFault: true }]);
  const deleted = await sqs.send(
    new DeleteMessageBatchCommand({ QueueUrl, Entries: [...handles, { Id: 'x', ReceiptHandle: 'garbage' }] }),
  );
  expect(deleted.Failed).toMatchObject([{ Id: 'x', Code: 'ReceiptHandleIsInvalid' }]);
  expect(queue.listMessages()).toEqual([]);
});

test('a long poll ends with the first message, or with its time', async () => {
  const { aws, cloud, queue } = shop();
  const { world } = cloud;
  const headers = { 'x-amz-target': 'AmazonSQS.ReceiveMessage' };
  const receive = (WaitTimeSeconds: number) => {
    const body = JSON.stringify({ QueueUrl, WaitTimeSeconds });
    return aws.answer({ method: 'POST', host: 'aws', path: '/', headers, body });
  };
  const begun = world.now;
  const first = receive(20).then(({ body }) => ({ body: JSON.parse(body), at: world.now }));
  world.after(3_000, () => queue.send({ body: 'a' }));
  await world.pass(4_000);
  expect(await first).toMatchObject({ at: begun + 4_000, body: { Messages: [{ Body: 'a' }] } });
  const second = receive(2);
  await world.pass(2_000);
  expect((await second).body).toBe('{}');
  queue.send({ body: 'b' });
  await world.pass(1);
  expect(queue.listMessages().find(({ body }) => body === 'b')?.receiveCount).toBe(0);
});

test('a message whose visibility is set to nothing comes again at once', async () => {
  const { sqs, queue } = shop();
  queue.send({ body: 'a' });
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
  const handle = { QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle };
  await sqs.send(new ChangeMessageVisibilityCommand({ ...handle, VisibilityTimeout: 0 }));
  const again = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
  expect(again.Messages?.map(({ Body }) => Body)).toEqual(['a']);
});

test('queues are listed, found and described', async () => {
  const { sqs, queue } = shop();
  const urls: string[] = [];
  for await (const { QueueUrls = [] } of paginateListQueues({ client: sqs, pageSize: 1 }, {})) urls.push(...QueueUrls);
  expect(urls).toEqual([dead, queue.resource.ref]);
  expect((await sqs.send(new GetQueueUrlCommand({ QueueName: 'Shop-Dead' }))).QueueUrl).toBe(dead);
  const { queueUrls } = await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }));
  expect(queueUrls).toEqual([queue.resource.ref]);
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
  const { Attributes } = await sqs.send(asked);
  expect(Attributes).toMatchObject({
    QueueArn: queue.resource.arn,
    VisibilityTimeout: '60',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount: 3 }),
  });
  const one = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['DelaySeconds'] }));
  expect(one.Attributes).toEqual({ DelaySeconds: '0' });
});

test('messages are counted by what can be received now, what is in flight, and what is delayed', async () => {
  const { aws, queue } = shop();
  for (const body of ['a', 'b', 'c']) queue.send({ body });
  queue.receive(1);
  queue.send({ body: 'late' }, undefined, 900);
  const body = JSON.stringify({ QueueUrl, AttributeNames: ['All'] });
  const headers = { 'x-amz-target': 'AmazonSQS.GetQueueAttributes' };
  const answer = await aws.answer({ method: 'POST', host: 'aws', path: '/', headers, body });
  expect(JSON.parse(answer.body).Attributes).toMatchObject({
    ApproximateNumberOfMessages: '2',
    ApproximateNumberOfMessagesNotVisible: '1',
    ApproximateNumberOfMessagesDelayed: '1',
  });
});

test('dead letters are moved back to their queue, as new messages', async () => {
  const { sqs, cloud, queue } = shop();
  const deadLetters = cloud.queue('Shop/Dead');
  for (const body of ['a', 'b']) deadLetters.send({ body });
  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadArn }));
  expect(deadLetters.listMessages()).toEqual([]);
  expect(
    queue
      .listMessages()
      .map(({ body, receiveCount }) => `${body} ${receiveCount}`)
      .sort(),
  ).toEqual(['a 0', 'b 0']);
  const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: deadArn }));
  const done = { Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 2, SourceArn: deadArn };
  expect(Results).toMatchObject([done]);
  const other = sqs.send(new StartMessageMoveTaskCommand({ SourceArn: queue.resource.arn }));
  await expect(other).rejects.toThrow('must be configured as a Dead Letter Queue');
});

test("messages are shown by LocalStack's route, and stay as they are", async () => {
  const { aws, queue } = shop();
  queue.send({ body: 'hidden' });
  queue.receive(1);
  queue.send({ body: 'seen' });
  const before = JSON.stringify(queue.listMessages());
  const show = async (path: string) => {
    const { status, body } = await aws.answer({ method: 'GET', host: 'aws', path, headers: {}, body: '' });
    return [status, ...['hidden', 'seen'].filter((text) => body.includes(`"Body":"${text}"`))];
  };
  const path = '/_aws/sqs/messages/eu-west-1/123456789012/Shop-Queue';
  expect(await show(path)).toEqual([200, 'seen']);
  expect(await show(`${path}?ShowInvisible=true`)).toEqual([200, 'hidden', 'seen']);
  expect(await show('/_aws/sqs/messages/eu-west-1/123456789012/none')).toEqual([404]);
  expect(JSON.stringify(queue.listMessages())).toBe(before);
});

test('a request that the model has no answer for is refused in words', async () => {
  const { sqs, unknown } = shop();
  await expect(sqs.send(new DeleteQueueCommand({ QueueUrl }))).rejects.toThrow('a queue that a stack has created');
  const slow = new StartMessageMoveTaskCommand({ SourceArn: deadArn, MaxNumberOfMessagesPerSecond: 1 });
  await expect(sqs.send(slow)).rejects.toThrow('the rate of a message move task');
  expect(unknown).toHaveLength(2);
});

test('settings of a queue are changed, and refused beyond their limits', async () => {
  const { sqs, queue } = shop();
  const set = (Attributes: Record<string, string>) => sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  await set({ VisibilityTimeout: '4', ReceiveMessageWaitTimeSeconds: '2', RedrivePolicy: '' });
  expect(queue.settings).toMatchObject({ visibility: 4, wait: 2 });
  expect(queue.redrive).toBeUndefined();
  await expect(set({ VisibilityTimeout: '50000' })).rejects.toThrow(/VisibilityTimeout/);
  await expect(set({ RedrivePolicy: '{"deadLetterTargetArn":"arn:none","maxReceiveCount":3}' })).rejects.toThrow(
    /does not exist/,
  );
});

test('a queue of no stack is created, used, purged and deleted', async () => {
  const { sqs, cloud } = shop();
  const created = await sqs.send(
    new CreateQueueCommand({ QueueName: 'mine', Attributes: { VisibilityTimeout: '7', SqsManagedSseEnabled: 'true' } }),
  );
  const mine = { QueueUrl: created.QueueUrl };
  expect(await sqs.send(new CreateQueueCommand({ QueueName: 'mine' }))).toMatchObject(mine);
  await sqs.send(new SendMessageCommand({ ...mine, MessageBody: 'a' }));
  await sqs.send(new PurgeQueueCommand(mine));
  expect(cloud.queue('mine').listMessages()).toEqual([]);
  expect(cloud.queue('mine').settings.visibility).toBe(7);
  await sqs.send(new DeleteQueueCommand(mine));
  await expect(sqs.send(new PurgeQueueCommand(mine))).rejects.toThrow(QueueDoesNotExist);
});

test("a refusal is the SDK's exception, with the code of the old protocol", async () => {
  const { sqs } = shop();
  const missing = sqs.send(new SendMessageCommand({ QueueUrl: 'http://127.0.0.1/1/none', MessageBody: 'a' }));
  await expect(missing).rejects.toThrow(QueueDoesNotExist);
  await expect(missing).rejects.toMatchObject({ Code: 'AWS.SimpleQueueService.NonExistentQueue', Type: 'Sender' });
  const garbage = sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'garbage' }));
  await expect(garbage).rejects.toThrow(ReceiptHandleIsInvalid);
});
