import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig } from '../../packages/kit/operator/endpoint.js';
import { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { run } from '../../tools/operator/command-line.js';
import { callsIn, sectionOf, wordsOf } from '../support/runbook-commands.js';
import { orderOf, productOf } from './scenarios/shop.js';
import { prodAssembly } from './support/assembly.js';
import { token } from './support/issuer.js';
import type { Call } from './support/orderly.js';

let local: LocalCloud;
const before = process.env.ORDERLY_ENDPOINT;
/** What stands for `<order id>` and the others, from the reports that name it. */
const placeholders: Record<string, string> = { why: 'test data' };

beforeAll(async () => {
  local = await LocalCloud.start({ folder: prodAssembly(), says: () => undefined });
  process.env.ORDERLY_ENDPOINT = local.url;
  await call(productOf('TEA-1'));
  await call({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 1 } });
  placeholders['order id'] = (await call(orderOf('alice', 'first', ['TEA-1']))).orderId ?? '';
  const QueueUrl = local.live.cloud.queue('Inventory/Commands/Queue').resource.ref;
  const sqs = new SQSClient(clientConfig({ url: local.url, region: 'eu-west-1' }));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'poison' }));
  await local.live.forward(60_000);
});
afterAll(async () => {
  if (before === undefined) delete process.env.ORDERLY_ENDPOINT;
  else process.env.ORDERLY_ENDPOINT = before;
  await local.stop();
});

async function call({ method, path, as, body, key }: Call) {
  const response = await fetch(`${local.url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token(as, as === 'operator' ? 'operator' : 'customer', local.live.now)}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as Record<string, string>;
}

async function orderly(words: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(words, { out: (text) => out.push(text), err: (text) => err.push(text) });
  return { code, text: out.join('\n'), err: err.join('\n') };
}

/** Runs the calls of a page of the operator's day, in its order. @returns their exit codes by their commands */
async function played(heading: string): Promise<Readonly<Record<string, number>>> {
  const codes: Record<string, number> = {};
  for (const one of callsIn(sectionOf('docs/operations/runbook.md', heading))) {
    const { code, err } = await orderly(wordsOf(one, placeholders));
    expect({ one, err: err.split('\n').slice(1).join('\n') }).toEqual({ one, err: '' });
    codes[one.replace(/ [-<].*$/, '')] = code;
  }
  return codes;
}

describe("the runbook's pages of the operator's day, in a local cloud with a message that failed", () => {
  test('Something is slow', async () => {
    expect(await played('Something is slow')).toEqual({ status: 1, trace: 0, 'sagas list': 0 });
    // The status names the page that comes next.
    expect((await orderly(['status', '--environment', 'prod'])).text).toMatch(
      /^NOT HEALTHY: 1 message failed .* failures groups/,
    );
  });

  test('Something failed', async () => {
    const { text } = await orderly(['failures', 'groups', '--environment', 'prod', '--json']);
    const [group] = JSON.parse(text).groups;
    Object.assign(placeholders, { id: group.id, consumer: group.consumer, 'message id': group.sample });
    expect(await played('Something failed')).toEqual({
      'failures groups': 4,
      'failures show': 0,
      // What can't be read can't be redriven: it is skipped, and the page says that it is to be discarded.
      'failures redrive': 4,
      'failures discard': 0,
      'sagas list': 0,
    });
    expect((await orderly(['status', '--environment', 'prod'])).text).toMatch(/^HEALTHY/);
  });

  test('A customer says something is wrong', async () =>
    expect(await played('A customer says something is wrong')).toEqual({ order: 0, trace: 0, audit: 0 }));
});
