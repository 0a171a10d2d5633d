import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../assembly/intrinsics.js';
import type { Cloud } from '../cloud/cloud.js';
import type { Journey, WorkTrouble } from '../releases/under-way.js';
import { allowStatement, arnOf, CLIENT, functionResource, QUEUE_RIGHTS, TABLE } from './clouds.js';

/** Properties of a release of a small app: a shop that takes tickets, and a desk that works them off. */
export interface TicketRelease {
  /** Type of the event that the shop publishes. @default Taken */
  readonly publishes?: string;
  /** Prefix of the records by which the desk recognises what it has done. @default DONE# */
  readonly records?: string;
  /** Logical id of the desk's queue. @default Queue */
  readonly queue?: string;
  /** Member that the desk needs in a message. @default ticket */
  readonly needs?: string;
}

/** Writes the cloud assembly of a release. @returns its folder */
export function writeTicketRelease(release: TicketRelease = {}): string {
  const { publishes = 'Taken', records = 'DONE#', queue = 'Queue', needs = 'ticket' } = release;
  const folder = mkdtempSync(join(tmpdir(), 'simulator-release-'));
  const take = `${CLIENT}
exports.handler = async ({ ticket }) => {
  const Detail = JSON.stringify({ id: ticket + '/taken', type: '${publishes}', ticket });
  const { status } = await call('AWSEvents.PutEvents', { Entries: [{ Source: 'shop', DetailType: '${publishes}', Detail }] });
  if (status !== 200) throw new Error('not published');
  return { ticket };
};`;
  const work = `${CLIENT}
const TableName = process.env.TABLE;
exports.handler = async ({ Records }) => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const { detail } of Records.map(({ body }) => JSON.parse(body))) {
    if (detail['${needs}'] === undefined) throw new Error('a message without ${needs}');
    const record = { TableName, Item: { pk: { S: '${records}' + detail.id } }, ConditionExpression: 'attribute_not_exists(pk)' };
    const effect = { TableName, Key: { pk: { S: 'TICKET#' + detail.ticket } }, UpdateExpression: 'ADD times :one' };
    const { status, body } = await call('DynamoDB_20120810.TransactWriteItems', {
      TransactItems: [{ Put: record }, { Update: { ...effect, ExpressionAttributeValues: { ':one': { N: '1' } } } }],
    });
    if (status !== 200 && !JSON.stringify(body).includes('ConditionalCheckFailed')) throw new Error('not done');
  }
};`;
  const codeOf = (name: string, source: string): string => {
    const asset = `${name}-${publishes}-${records.replace('#', '')}-${needs}`;
    mkdirSync(join(folder, `asset.${asset}`));
    writeFileSync(join(folder, `asset.${asset}`, 'index.js'), source);
    return `${asset}.zip`;
  };
  const shop = functionResource('Take', [allowStatement(['events:PutEvents'], '*')], {
    Code: { S3Key: codeOf('take', take) },
  });
  const desk = {
    Tickets: TABLE,
    Letters: { Type: 'AWS::SQS::Queue', Properties: {} },
    [queue]: {
      Type: 'AWS::SQS::Queue',
      Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Letters'), maxReceiveCount: 3 } },
    },
    Policy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [{ Ref: queue }],
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Allow',
              Principal: { Service: 'events.amazonaws.com' },
              Action: 'sqs:SendMessage',
              Resource: arnOf(queue),
            },
          ],
        },
      },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: { source: ['shop'], 'detail-type': [publishes] },
        State: 'ENABLED',
        Targets: [{ Id: 'Target', Arn: arnOf(queue) }],
      },
    },
    ...functionResource(
      'Work',
      [
        allowStatement(QUEUE_RIGHTS, arnOf(queue)),
        allowStatement(['dynamodb:PutItem', 'dynamodb:UpdateItem'], arnOf('Tickets')),
      ],
      { Code: { S3Key: codeOf('work', work) }, Environment: { Variables: { TABLE: { Ref: 'Tickets' } } } },
    ),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: arnOf(queue), FunctionName: { Ref: 'Work' }, BatchSize: 1 },
    },
  };
  const artifacts: Record<string, Json> = {};
  for (const [name, Resources] of Object.entries({ Shop: shop, Desk: desk })) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ Resources }));
    artifacts[name] = {
      type: 'aws:cloudformation:stack',
      properties: { templateFile: `${name}.json`, stackName: name },
    };
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
  return folder;
}

/** Tickets, each of which has to be worked off once. */
export const TICKETS: Journey = {
  prepare: async () => undefined,
  begin: async (cloud, number) => {
    const ticket = `ticket-${number}.`;
    let ended: string | undefined;
    cloud.fn('Shop/Take').invoke({ ticket }, ({ kind }) => {
      ended = kind;
    });
    await cloud.world.until(() => ended !== undefined);
    if (ended !== 'returned') throw new Error(`Shop/Take: ${ended}`);
    return ticket;
  },
  check: async (cloud, works) =>
    works.flatMap((work): readonly WorkTrouble[] => {
      const times = timesOf(cloud, work);
      if (times === 1) return [];
      if (times > 1) return [{ kind: 'twice', work, detail: `it was worked off ${times} times` }];
      const isThere = [...cloud.queues.values()].some((queue) =>
        queue.listMessages().some(({ body }) => body.includes(work)),
      );
      return [{ kind: isThere ? 'stuck' : 'lost', work, detail: 'it was never worked off' }];
    }),
};

const timesOf = (cloud: Cloud, ticket: string): number =>
  Number(cloud.listItems('Desk/Tickets').find(({ pk }) => pk === `TICKET#${ticket}`)?.times ?? 0);
