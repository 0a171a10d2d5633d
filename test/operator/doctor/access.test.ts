import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotChecked } from '../../../packages/operator/doctor/not-checked.js';
import {
  findDeniedCommands,
  judgePermissions,
  listDeniedPairs,
  listResourceArns,
  permissionKey,
  REQUIRED_PERMISSIONS,
  resolvePrincipal,
  type SimulatePolicy,
} from '../../../packages/operator/doctor/permissions.js';
import { checkSubscriptions, judgeSubscriptions } from '../../../packages/operator/doctor/subscriptions.js';
import { consumer, heardBy } from '../bookings.js';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:shop-prod-Alarms';

describe('subscriptions to alarms', () => {
  test('unconfirmed subscriptions are findings, and so is a topic without any', () => {
    const confirmed = { Protocol: 'email', Endpoint: 'olga@example.org', SubscriptionArn: `${TOPIC}:1` };
    const pending = { Protocol: 'email', Endpoint: 'otto@example.org', SubscriptionArn: 'PendingConfirmation' };
    expect(judgeSubscriptions([{ topic: TOPIC, own: [confirmed] }])).toEqual([]);
    expect(judgeSubscriptions([{ topic: TOPIC, own: [confirmed, pending] }])).toMatchObject([
      {
        text: `email to otto@example.org is not confirmed: it gets no alarm of ${TOPIC}`,
        advice: expect.stringMatching(/aws sns subscribe .*--notification-endpoint otto@example\.org$/),
      },
    ]);
    const deleted = { ...confirmed, SubscriptionArn: 'Deleted' };
    expect(judgeSubscriptions([{ topic: TOPIC, own: [deleted] }])).toHaveLength(1);
    expect(judgeSubscriptions([{ topic: TOPIC, own: [] }])).toMatchObject([
      { text: expect.stringMatching(/reach nobody$/) },
    ]);
    expect(judgeSubscriptions([])).toMatchObject([{ text: expect.stringMatching(/^no alarm tells a topic/) }]);
  });

  /** SNS as far as doctor needs it: two pages of subscriptions; or, without them, a place that has no SNS. */
  let pages: readonly string[] = [];
  const sns = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const page = pages[text.includes('NextToken') ? 1 : 0];
      if (page === undefined) response.writeHead(404).end('{}');
      else response.setHeader('content-type', 'text/xml').end(page);
    });
  });
  const endpoint = () => ({ url: `http://127.0.0.1:${(sns.address() as AddressInfo).port}`, region: 'eu-west-1' });
  const pageOf = (arn: string, next = '') =>
    `<ListSubscriptionsByTopicResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><ListSubscriptionsByTopicResult><Subscriptions><member><SubscriptionArn>${arn}</SubscriptionArn><Protocol>email</Protocol><Endpoint>o@example.org</Endpoint></member></Subscriptions>${next}</ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`;
  beforeEach(() => new Promise<void>((resolve) => void sns.listen(0, '127.0.0.1', resolve)));
  afterEach(() => new Promise((resolve) => void sns.close(resolve)));

  test('subscriptions are read page by page', async () => {
    pages = [pageOf(`${TOPIC}:1`, '<NextToken>more</NextToken>'), pageOf('PendingConfirmation')];
    expect(await checkSubscriptions({ endpoint: endpoint() }, [TOPIC])).toHaveLength(1);
  });

  test('subscriptions are not checked at a place without SNS', async () => {
    pages = [];
    await expect(checkSubscriptions({ endpoint: endpoint() }, [TOPIC])).rejects.toEqual(
      new NotChecked('no SNS at this place'),
    );
  });
});

describe('permissions', () => {
  const caller = 'arn:aws:sts::123456789012:assumed-role/Operators/olga';
  const context = {
    endpoint: { url: undefined, region: 'eu-west-1' },
    services: heardBy(consumer('seats', { queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/seats' })),
    stacks: { People: { PersonalKeysName: 'keys' } },
  };

  test('permissions are requested for the names of the environment, in the account of the caller', () => {
    expect(listResourceArns(context, caller)).toMatchObject({
      tables: ['arn:aws:dynamodb:eu-west-1:123456789012:table/trips', expect.stringMatching(/hotel$/)],
      queues: ['arn:aws:sqs:eu-west-1:123456789012:seats'],
      personalKeys: ['arn:aws:dynamodb:eu-west-1:123456789012:table/keys'],
      rebuilders: [],
      mappings: ['arn:aws:lambda:eu-west-1:123456789012:event-source-mapping:*'],
    });
  });

  test('missing permissions name the commands that need them', async () => {
    const arns = listResourceArns(context, caller);
    const queue = arns.queues[0] ?? '';
    const decide: SimulatePolicy = async () => new Set([permissionKey('sqs:SendMessage', queue)]);
    expect(await judgePermissions(arns, async () => new Set())).toEqual([]);
    const denied = await judgePermissions(arns, decide);
    expect(denied.map(({ command }) => command)).toEqual([
      'failures redrive, inbox retry',
      'sagas retry, sagas resolve',
      'audit --resend',
      'replay',
    ]);
    expect(denied[0]).toMatchObject({ actions: ['sqs:SendMessage'], resource: queue });
  });

  // As IAM answers: once for an action, with the decisions of the resources inside.
  test('permissions are missing on resources for which nothing allows them, or something forbids them', () => {
    const decisions = ['allowed', 'implicitDeny', 'explicitDeny'] as const;
    const arns = decisions.map((decision) => `queue-${decision}`);
    const answer = { EvalActionName: 'sqs:SendMessage', EvalResourceName: '*', EvalDecision: 'explicitDeny' } as const;
    const inside = decisions.map((EvalResourceDecision, at) => ({ EvalResourceName: arns[at], EvalResourceDecision }));
    expect(listDeniedPairs([{ ...answer, ResourceSpecificResults: inside }], arns)).toEqual([
      'sqs:SendMessage queue-implicitDeny',
      'sqs:SendMessage queue-explicitDeny',
    ]);
    expect(listDeniedPairs([answer], ['queue'])).toEqual(['sqs:SendMessage queue']);
    expect(listDeniedPairs([{ ...answer, EvalDecision: 'allowed' }], ['queue'])).toEqual([]);
  });

  test('permissions are requested once for each kind of resources, and not if there are none', async () => {
    const asked: (readonly string[])[] = [];
    await judgePermissions(listResourceArns(context, caller), async (actions, resources) => {
      expect(resources).not.toEqual([]);
      asked.push(actions);
      return new Set();
    });
    expect(new Set(asked.map(String)).size).toBeLessThanOrEqual(asked.length);
    expect(asked.length).toBeLessThan(Object.values(REQUIRED_PERMISSIONS).flat().length);
  });

  test.each([
    ['arn:aws:iam::123456789012:root', undefined],
    ['arn:aws:iam::123456789012:user/ops/olga', 'arn:aws:iam::123456789012:user/ops/olga'],
    [caller, 'arn:aws:iam::123456789012:role/ops/Operators'],
  ])('the checked permissions are those of %s', async (arn, principal) => {
    expect(await resolvePrincipal(arn, async (name) => `arn:aws:iam::123456789012:role/ops/${name}`)).toBe(principal);
  });

  test('permissions are not checked for a caller that IAM does not know, and at an emulator', async () => {
    const federated = 'arn:aws:sts::123456789012:federated-user/olga';
    await expect(resolvePrincipal(federated, async () => '')).rejects.toBeInstanceOf(NotChecked);
    const local = { ...context, endpoint: { url: 'http://127.0.0.1:1', region: 'eu-west-1' } };
    await expect(findDeniedCommands(local)).rejects.toBeInstanceOf(NotChecked);
  });
});
