/**
 * EventBridge held against answers that were recorded at AWS: LocalStack (https://github.com/localstack/localstack,
 * commit 8b9a79f, Apache-2.0), `tests/aws/services/events/test_events.snapshot.json`, recorded between January and May
 * 2025. Each case has the name of the test that it comes from.
 */
import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  DescribeEventBusCommand,
  DescribeRuleCommand,
  EventBridgeClient,
  ListRuleNamesByTargetCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { awsApiOf } from '../support/clients.js';
import { createCloud } from '../support/clouds.js';

const ENTRY = { Source: 'core.update-account-command', DetailType: 'core.update-account-command', Detail: '{}' };

/** A client of AWS's SDK in an account with the queue `queue`. */
async function account() {
  const cloud = createCloud({});
  const { config } = awsApiOf(cloud);
  await new SQSClient(config).send(new CreateQueueCommand({ QueueName: 'queue' }));
  return { cloud, events: new EventBridgeClient(config), queue: cloud.queue('queue').resource.arn };
}

/** An account with the rule `rule` on the default bus. @param targets number of its targets, all of which are the queue */
async function withRule(targets = 0) {
  const found = await account();
  await found.events.send(new PutRuleCommand({ Name: 'rule', EventPattern: '{"source":["a"]}' }));
  const Targets = Array.from({ length: targets }, (_, at) => ({ Id: `id${at}`, Arn: found.queue }));
  if (targets > 0) await found.events.send(new PutTargetsCommand({ Rule: 'rule', Targets }));
  return found;
}

const required = (name: string) => `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
const MALFORMED = ['MalformedDetail', 'Detail is malformed.'] as const;

describe('an entry that is refused alone', () => {
  test.each([
    ['test_put_events_without_source', { ...ENTRY, Source: undefined }, 'InvalidArgument', required('Source')],
    ['test_put_event_without_detail', { ...ENTRY, Detail: undefined }, 'InvalidArgument', required('Detail')],
    ['test_put_event_without_detail_type', { ...ENTRY, DetailType: '' }, 'InvalidArgument', required('DetailType')],
    ['test_put_event_malformed_detail[STRING]', { ...ENTRY, Detail: 'NotJSON' }, ...MALFORMED],
    ['test_put_event_malformed_detail[ARRAY]', { ...ENTRY, Detail: '[]' }, ...MALFORMED],
    ['test_put_event_malformed_detail[MALFORMED_JSON]', { ...ENTRY, Detail: '{{}' }, ...MALFORMED],
    ['test_put_event_malformed_detail[SERIALIZED_STRING]', { ...ENTRY, Detail: '"NotJSON"' }, ...MALFORMED],
  ])('%s', async (_, entry, ErrorCode, ErrorMessage) => {
    const { events } = await account();
    const { FailedEntryCount, Entries } = await events.send(new PutEventsCommand({ Entries: [entry] }));
    expect({ FailedEntryCount, Entries }).toEqual({ FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage }] });
  });
});

test('test_put_events_exceed_limit_ten_entries', async () => {
  const { events } = await account();
  const Detail = '{"command": "update-account"}';
  const one = `PutEventsRequestEntry(time=null, source=${ENTRY.Source}, resources=null, detailType=${ENTRY.DetailType}, detail=${Detail}, eventBusName=default, traceHeader=null, kmsKeyIdentifier=null, internalMetadata=null)`;
  const all = Array.from({ length: 11 }, () => one).join(', ');
  const Entries = Array.from({ length: 11 }, () => ({ ...ENTRY, Detail, EventBusName: 'default' }));
  await expect(events.send(new PutEventsCommand({ Entries }))).rejects.toMatchObject({
    name: 'ValidationException',
    message: `1 validation error detected: Value '[${all}]' at 'entries' failed to satisfy constraint: Member must have length less than or equal to 10`,
  });
});

/** Recorded when the limit was 256 KB; the words are those of its time, the limit is the one of 2026. */
test('test_put_event_with_too_big_detail', async () => {
  const { events } = await account();
  const Detail = JSON.stringify({ payload: ['p'.repeat(1024 * 1024)] });
  await expect(events.send(new PutEventsCommand({ Entries: [{ ...ENTRY, Detail }] }))).rejects.toMatchObject({
    name: 'ValidationException',
    message: 'Total size of the entries in the request is over the limit.',
  });
});

test('test_put_events_time: an event has the time of its entry', async () => {
  const { events, cloud } = await account();
  await events.send(new PutEventsCommand({ Entries: [{ ...ENTRY, Time: new Date('2022-01-01') }] }));
  expect(cloud.events.accepted.map(({ event }) => event.time)).toEqual(['2022-01-01T00:00:00Z']);
});

test('test_put_events_nonexistent_event_bus: an event that is put there has an id, and reaches no target', async () => {
  const { events, cloud } = await account();
  const { FailedEntryCount, Entries = [] } = await events.send(
    new PutEventsCommand({ Entries: [ENTRY, { ...ENTRY, EventBusName: 'other' }] }),
  );
  const [EventId, other] = Entries.map((entry) => entry.EventId);
  expect([FailedEntryCount, Entries]).toEqual([0, [{ EventId }, { EventId: other }]]);
  for (const id of [EventId, other]) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(cloud.events.accepted.map(({ event }) => event.id)).toEqual([EventId]);
});

const NO_BUS = 'Event bus other does not exist.';
/** Requests in an account with the bus `bus`, and the rule `rule` with a target. */
const REFUSED: readonly (readonly [test: string, request: (queue: string) => object, code: string, message: string])[] =
  [
    [
      'test_create_multiple_event_buses_same_name',
      () => new CreateEventBusCommand({ Name: 'bus' }),
      'ResourceAlreadyExistsException',
      'Event bus bus already exists.',
    ],
    [
      'test_describe_delete_not_existing_event_bus',
      () => new DescribeEventBusCommand({ Name: 'other' }),
      'ResourceNotFoundException',
      NO_BUS,
    ],
    [
      'test_delete_default_event_bus',
      () => new DeleteEventBusCommand({ Name: 'default' }),
      'ValidationException',
      'Cannot delete event bus default.',
    ],
    [
      'test_put_events_nonexistent_event_bus',
      () => new DescribeEventBusCommand({ Name: 'other' }),
      'ResourceNotFoundException',
      NO_BUS,
    ],
    [
      'test_describe_nonexistent_rule',
      () => new DescribeRuleCommand({ Name: 'other' }),
      'ResourceNotFoundException',
      'Rule other does not exist on EventBus default.',
    ],
    [
      'test_delete_rule_with_targets',
      () => new DeleteRuleCommand({ Name: 'rule' }),
      'ValidationException',
      "Rule can't be deleted since it has targets.",
    ],
    [
      'test_add_exceed_fife_targets_per_rule',
      (Arn) =>
        new PutTargetsCommand({
          Rule: 'rule',
          Targets: Array.from({ length: 5 }, (_, at) => ({ Id: `more${at}`, Arn })),
        }),
      'LimitExceededException',
      'The requested resource exceeds the maximum number allowed.',
    ],
    [
      'test_put_target_id_validation',
      (Arn) => new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: '!@#$@!#$', Arn }] }),
      'ValidationException',
      "1 validation error detected: Value '!@#$@!#$' at 'targets.1.member.id' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+",
    ],
    [
      'test_put_target_id_validation (length)',
      (Arn) => new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: 'a'.repeat(65), Arn }] }),
      'ValidationException',
      `1 validation error detected: Value '${'a'.repeat(65)}' at 'targets.1.member.id' failed to satisfy constraint: Member must have length less than or equal to 64`,
    ],
  ];

test.each(REFUSED)('%s', async (_, request, name, message) => {
  const { events, queue } = await withRule(1);
  await events.send(new CreateEventBusCommand({ Name: 'bus' }));
  const send = events.send.bind(events) as (command: object) => Promise<unknown>;
  await expect(send(request(queue))).rejects.toMatchObject({ name, message });
});

test('test_describe_delete_not_existing_event_bus: a bus that does not exist is deleted without an error', async () => {
  const { events } = await account();
  await events.send(new DeleteEventBusCommand({ Name: 'other' }));
});

test('test_put_list_with_prefix_describe_delete_rule[default]', async () => {
  const { events } = await withRule();
  const own = { Name: 'rule', EventBusName: 'default', EventPattern: '{"source":["a"]}', State: 'ENABLED' };
  const Arn = 'arn:aws:events:eu-west-1:123456789012:rule/rule';
  const { Rules } = await events.send(new ListRulesCommand({ NamePrefix: 'rule' }));
  expect(Rules).toEqual([{ ...own, Arn }]);
  const { $metadata: _, ...described } = await events.send(new DescribeRuleCommand({ Name: 'rule' }));
  expect(described).toEqual({ ...own, Arn, CreatedBy: '123456789012' });
});

test('test_list_target_by_rule_limit', async () => {
  const { events } = await withRule(5);
  const first = await events.send(new ListTargetsByRuleCommand({ Rule: 'rule', Limit: 3 }));
  expect(first.Targets?.map(({ Id }) => Id)).toEqual(['id0', 'id1', 'id2']);
  const next = await events.send(new ListTargetsByRuleCommand({ Rule: 'rule', NextToken: first.NextToken }));
  expect([next.Targets?.map(({ Id }) => Id), next.NextToken]).toEqual([['id3', 'id4'], undefined]);
});

test('test_list_rule_names_by_target_with_limit', async () => {
  const { events, queue: TargetArn } = await account();
  for (const Name of ['rule0', 'rule1', 'rule2']) {
    await events.send(new PutRuleCommand({ Name, EventPattern: '{"source":["a"]}' }));
    await events.send(new PutTargetsCommand({ Rule: Name, Targets: [{ Id: 'id', Arn: TargetArn }] }));
  }
  const first = await events.send(new ListRuleNamesByTargetCommand({ TargetArn, Limit: 2 }));
  expect(first.RuleNames).toEqual(['rule0', 'rule1']);
  const next = await events.send(new ListRuleNamesByTargetCommand({ TargetArn, NextToken: first.NextToken }));
  expect([next.RuleNames, next.NextToken]).toEqual([['rule2'], undefined]);
});
