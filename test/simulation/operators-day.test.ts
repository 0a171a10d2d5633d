import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig } from '../../packages/operator/deployment/endpoint.js';
import type { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { run } from '../../tools/operator/command-line.js';
import { findCalls, readSection, splitWords } from '../support/runbook-commands.js';
import { accepted, beginLocalCloud, endLocalCloud } from '../support/simulation/at-local-cloud.js';
import type { Call } from '../support/simulation/orderly.js';
import { orderOf, productOf } from './scenarios/shop.js';

let local: LocalCloud;
/** Values of the placeholders in the runbook's commands, such as `<order id>`, as the reports name them. */
const placeholders: Record<string, string> = { why: 'test data', name: 'alice' };

beforeAll(async () => {
  local = await beginLocalCloud();
  await call(productOf('TEA-1'));
  await call({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 1 } });
  placeholders['order id'] = (await call(orderOf('alice', 'first', ['TEA-1']))).orderId ?? '';
  const QueueUrl = local.live.cloud.queue('Inventory/Commands/Queue').resource.ref;
  const sqs = new SQSClient(clientConfig({ url: local.url, region: 'eu-west-1' }));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'poison' }));
  await local.live.forward(60_000);
});
afterAll(() => endLocalCloud(local));

const call = (one: Call) => accepted(local, one);

async function orderly(words: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(words, { out: (text) => out.push(text), err: (text) => err.push(text) });
  return { code, text: out.join('\n'), err: err.join('\n') };
}

/** Runs the calls of a page of the operator's day, in its order. @returns their exit codes by their commands */
async function played(heading: string): Promise<Readonly<Record<string, number>>> {
  const codes: Record<string, number> = {};
  for (const one of findCalls(readSection('docs/operations/a-day.md', heading))) {
    const { code, err } = await orderly(splitWords(one, placeholders));
    expect({ one, err: err.split('\n').slice(1).join('\n') }).toEqual({ one, err: '' });
    codes[one.replace(/ [-<].*$/, '')] = code;
  }
  return codes;
}

describe('the sections of docs/operations/a-day.md, in a local cloud with a message that failed', () => {
  test('Something is slow', async () => {
    expect(await played('Something is slow')).toEqual({ status: 1, trace: 0, 'sagas list': 0 });
    // The status names the page that comes next.
    expect((await orderly(['status', '--environment', 'prod'])).text).toMatch(
      /^NOT HEALTHY: 1 message failed .* failures groups/,
    );
  });

  test('Something failed', async () => {
    const { text } = await orderly(['failures', 'groups', '--environment', 'prod', '--json']);
    const { groups, causes } = JSON.parse(text);
    const [group] = groups;
    Object.assign(placeholders, { id: causes[0].id, consumer: group.consumer, 'message id': group.sample });
    expect(await played('Something failed')).toEqual({
      'failures causes': 4,
      'failures show': 0,
      'failures annotate': 0,
      // A message that can't be read can't be redriven: the redrive skips it, and its page says to discard it.
      'failures redrive': 4,
      'failures discard': 0,
      'sagas list': 0,
    });
    // The index of failures is behind its table, by seconds now and then.
    await local.live.forward(60_000);
    expect((await orderly(['status', '--environment', 'prod'])).text).toMatch(/^HEALTHY/);
  });

  test('A customer says something is wrong', async () =>
    expect(await played('A customer says something is wrong')).toEqual({ order: 0, trace: 0, audit: 0 }));
});
