import { integrationUri, may } from './apis.js';
import { allowStatement, arnOf, CLIENT, functionResource, QUEUE_RIGHTS, TABLE, writeAssembly } from './clouds.js';

/** Puts an order into a queue, under an id that the client gives. */
const PLACE = `${CLIENT}
exports.handler = async ({ body }) => {
  const { status } = await call('AmazonSQS.SendMessage', { QueueUrl: process.env.QUEUE, MessageBody: body });
  return { statusCode: status === 200 ? 202 : 502, body: '' };
};`;

/** Writes the order and counts it, and remembers when. @param once whether both are one transaction under a condition */
export const counting = (once: boolean): string => `${CLIENT}
const Key = (pk) => ({ pk: { S: pk } });
exports.handler = async ({ Records: [{ body }] }) => {
  const { id } = JSON.parse(body);
  const TableName = process.env.TABLE;
  const Item = { ...Key(id), at: { N: String(Date.now()) }, lot: { S: Math.random().toString(36) } };
  const count = { TableName, Key: Key('count'), UpdateExpression: 'ADD orders :one', ExpressionAttributeValues: { ':one': { N: '1' } } };
  const put = { TableName, Item, ...(${once} && { ConditionExpression: 'attribute_not_exists(pk)' }) };
  const requests = ${once}
    ? [['TransactWriteItems', { TransactItems: [{ Put: put }, { Update: count }] }]]
    : [['PutItem', put], ['UpdateItem', count]];
  for (const [operation, input] of requests) {
    const { status, body: answer } = await call('DynamoDB_20120810.' + operation, input);
    const known = JSON.stringify(answer).includes('ConditionalCheckFailed');
    if (status !== 200 && !known) throw new Error(JSON.stringify(answer));
  }
};`;

/**
 * Writes the assembly of an app that takes orders through a queue.
 * @param worker code of the queue's function
 * @param more resources of the app
 * @returns its folder
 */
export function writeQueueShop(worker: string, more: Readonly<Record<string, { readonly Type: string }>> = {}): string {
  const rights = ['PutItem', 'UpdateItem'].map((one) => `dynamodb:${one}`);
  const Variables = { TABLE: { Ref: 'Table' }, QUEUE: { Ref: 'Queue' } };
  const variables = { Environment: { Variables } };
  return writeAssembly(
    {
      Table: TABLE,
      Dead: { Type: 'AWS::SQS::Queue' },
      Queue: {
        Type: 'AWS::SQS::Queue',
        Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 5 } },
      },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Work' }, BatchSize: 1 },
      },
      ...functionResource('Place', [allowStatement(['sqs:SendMessage'], arnOf('Queue'))], variables),
      ...functionResource(
        'Work',
        [allowStatement(QUEUE_RIGHTS, arnOf('Queue')), allowStatement(rights, arnOf('Table'))],
        variables,
      ),
      MayPlace: may('Place'),
      Api: { Type: 'AWS::ApiGateway::RestApi' },
      Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: 'Api' }, StageName: 'v1' } },
      Orders: {
        Type: 'AWS::ApiGateway::Method',
        Properties: {
          RestApiId: { Ref: 'Api' },
          ResourceId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
          HttpMethod: 'POST',
          AuthorizationType: 'NONE',
          Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: integrationUri('Place') },
        },
      },
      ...more,
    },
    { Place: PLACE, Work: worker },
  );
}
