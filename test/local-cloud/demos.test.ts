import { readFileSync } from 'node:fs';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '@orderly/operator';
import { LocalCloudClient } from '@orderly/simulator/client';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEMOS, type Demo } from '../../tools/local/demos/demos.js';
import { playDemo } from '../../tools/local/demos/main.js';
import { Stage } from '../../tools/local/demos/stage.js';
import { type Endpoint, findEndpoint } from '../../tools/local/endpoint.js';
import { Started } from '../support/local/started.js';
import type { LocalCloudWorld } from '../support/local-cloud-world.js';
import { world } from '../support/world.js';

const ROOT = new URL('../../', import.meta.url).pathname;

/** All files of this project have one local cloud, which begins again for each. */
const { url } = world as LocalCloudWorld;
const cloud = new LocalCloudClient(url);
let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await findEndpoint(url);
});
afterEach(async () => {
  expect(await cloud.status()).toMatchObject({ faults: [] });
});

/** Plays a demo. @returns what it printed */
async function outputOf(demo: Demo): Promise<string> {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  await playDemo(demo, await Stage.open(endpoint, say), { say, colour: (_, text) => text });
  return lines.join('\n');
}

/** Lines that each demo shows, in this order. The naive counterpart comes last. */
const SHOWN: Readonly<Record<string, readonly RegExp[]>> = {
  dedupe: [
    /Powertools +\w{8} {2}took 1, 6 left, and dies\n.*Powertools +\w{8} {2}took 1, 5 left\n/,
    /naive consumer +7 +4 +2\n +Powertools idempotency +7 +7 +5\n +inventory-commands +7 +7 +6\n/,
  ],
  charge: [
    /201 {2}payment (\w{8})\n.*\n +201 {2}payment \1 {3}Idempotency-Replayed: true\n/,
    /"payment requested before"/,
    /bob-\w+ was charged once: 100.00 EUR/,
    /500 {2}no payment\n.*\n +201 {2}payment \w{8} {3}Idempotency-Replayed: true\n/,
    /bob-again-\w+ was charged once: 100.00 EUR/,
    /Without the pattern[\s\S]*naive-bob-\w+ was charged 2 times: 200.00 EUR$/,
  ],
  numbers: [
    /200 {2}version 1\n.*\n +200 {2}version 1, from the record/,
    /200 {2}version 2\n.*\n +200 {2}version 2, from the record/,
    /Answered-Up-To: 2\n +200 {2}version 3\n.*\n +409 .*\n.*\n +409 /,
    /"request refused" {2}code number-out-of-range {2}status 409/,
    /Bob's name is Robert, at version 3: 7 requests, 3 updates/,
    /Without the pattern[\s\S]*Bob's name is Bob, at version 7: /,
  ],
  basket: [
    /TEA-\w+ 3.50 EUR\n/,
    /"applied" {2}eventType ProductPriceChanged {2}eventId (\w{8})\n +GET .* 4.00 EUR, was 3.50 EUR\n[\s\S]*"duplicate" .* \1\n/,
    /"duplicate" .*\n +GET .* 4.50 EUR, was 3.50 EUR\n/,
    /Without the pattern[\s\S]*TEA-\w+ 4.00 EUR: /,
  ],
  suspect: [
    /( +paid .* APPROVED\n){2}/,
    /( +paid .* UNDER_REVIEW {2}SUSPECT_USER\n){2}/,
    /orders-reviews {2}"stored" .*\n.* orders-reviews {2}"applied" {2}attempts 1/,
    /dispatch {2}409 {2}the order is under review/,
    /placed after it .* UNDER_REVIEW {2}SUSPECT_USER\n.* was charged 2 times: 7.00 EUR\n/,
    /approve\n +paid .* APPROVED\n.* reject\n +paid .* CANCELLED\n.* approve\n +placed after it .* APPROVED\n/,
    /was charged 3 times: 10.50 EUR, and got back 3.50 EUR\n/,
    /Without the pattern/,
  ],
  rewards: [
    /held back[\s\S]*2 AccountAuthorized, 3 CreditSettled, 4 AuthorizationCaptured/,
    /parked {2}accounts\/AccountRefunded .*\n +parked {2}accounts\/BonusApplied .*\n.* 0 points, BASIC\n/,
    /AuthorizationCaptured +600\n +AccountRefunded +-600\n +BonusApplied +500\n.* 500 points, BASIC\n/,
    /Without the pattern[\s\S]*1100 points, and SILVER/,
  ],
  report: [
    /(-> reports-daily collected in (\S+)\n +){3}GET \/reports\/daily\/\2 {2}404 /,
    /Midnight[\s\S]* 200 {2}report \d+: \d+ events/,
    /Reports receives again[\s\S]*-> reports-daily collected in/,
    /200 {2}report \d+: 3 events, 3 of them of \S+; 1 order approved\n.* the same bytes as before\n/,
    /Without the pattern/,
  ],
  saga: [
    /SagaStarted\n[\s\S]*StepDone +charge-payment\n.* SagaCompleted\n/,
    /SagaFailed +REFUSED at reserve-stock: OUT_OF_STOCK/,
    /CompensationSent +authorize-account.*\n.* CompensationDone +authorize-account\n.* SagaCompensated\n/,
    /before: 20.00 EUR, and now: 20.00 EUR\n/,
    /Without the pattern[\s\S]* 16.50 EUR/,
  ],
  forget: [
    /deliverTo \{"name":"Ed",.*\}\n/,
    /person forget ed-\w+\n +person ed-\w+: forgotten/,
    /From now on[\s\S]*deliverTo \{"forgotten":true\}\n.* 409 {2}Your personal data was erased.*\n.* APPROVED, 1 line/,
    /Without the pattern/,
  ],
  time: [
    /version=1 {2}available 10.00 EUR {3}AccountOpened +by operator:operator\n/,
    /version=2 {2}available +6.50 EUR {3}AccountAuthorized +by customer:gil-\w+\n/,
    /version=5 {2}available 20.00 EUR {3}CreditLimitSet/,
    /\?at=\S+ {2}available 6.50 EUR\n.* PENDING \(now APPROVED\)\n/,
    /Without the pattern/,
  ],
  outbox: [
    /reserved 1: .*\n.* PENDING: /,
    /1 delivery is missing\.[\s\S]* StockReserved /,
    /1 delivery is missing, and sent again\.[\s\S]* APPROVED\n/,
    /mended[\s\S]*"applied" {2}eventType StockReserved.*\n.*"duplicate" {2}eventType StockReserved.*\n/,
    /Nothing is missing\.[\s\S]*Nothing was done twice/,
    /Without the pattern/,
  ],
};

const ids = (text: string): string => text.replace(/\b[0-9a-f]{32}\b/g, '<id>');

describe.each([
  ['first', DEMOS],
  // What one demo leaves must not change another one: the last ones played before the first ones show it.
  ['then two of them the other way round', [...DEMOS.slice(-1), ...DEMOS.slice(0, 1)]],
])('%s', (_, demos) => {
  const named = demos.map((demo) => [demo.name, demo] as const);
  test.each(named)('%s shows its pattern, and what happens without it', async (name, demo) => {
    const output = await outputOf(demo);
    expect(output).toContain(`${name}: ${demo.about} (${demo.pattern})\n${demo.warning ?? ''}`);
    let rest = output;
    for (const wanted of SHOWN[name] ?? []) {
      const found = wanted.exec(rest);
      expect(found, `${wanted} in\n${output}`).not.toBeNull();
      rest = rest.slice(found?.index ?? 0);
    }
    for (const line of ids(output).split('\n')) expect(line.length).toBeLessThan(180);
  });
});

test('docs/demos.md shows what charge prints, but for ids and times', async () => {
  const charge = DEMOS.find(({ name }) => name === 'charge') as Demo;
  const comparable = (text: string): string =>
    text.replace(/\d\d:\d\d:\d\d\.\d{3}/g, '<time>').replace(/(payment|paymentId) \w{8}|-\w{6}\b/g, '<id>');
  const [, shown = ''] = /```text\n(charge: .*?)\n```/s.exec(readFileSync(`${ROOT}docs/demos.md`, 'utf8')) ?? [];
  expect(comparable(shown)).toBe(comparable(await outputOf(charge)));
});

test('demos leave no queue, no table and nothing that is switched off', async () => {
  const { QueueUrls = [] } = await new SQSClient(clientConfig(endpoint)).send(
    new ListQueuesCommand({ MaxResults: 1000 }),
  );
  expect(QueueUrls.filter((name) => /naive|powertools/.test(name))).toEqual([]);
  const { TableNames = [] } = await new DynamoDBClient(clientConfig(endpoint)).send(new ListTablesCommand({}));
  expect(TableNames.filter((name) => /powertools/.test(name))).toEqual([]);
  const { EventSourceMappings = [] } = await new LambdaClient(clientConfig(endpoint)).send(
    new ListEventSourceMappingsCommand({}),
  );
  expect(EventSourceMappings.length).toBeGreaterThan(10);
  expect(EventSourceMappings.filter(({ State }) => State !== 'Enabled')).toEqual([]);
});

test('a demo that fails takes back what it has broken', async () => {
  const play = async (stage: Stage): Promise<void> => {
    await stage.fault('Inventory/Outbox/Relay', 'crashed', 5);
    throw new Error('it failed');
  };
  await expect(outputOf({ name: 'broken', pattern: 'none', about: 'it fails', play })).rejects.toThrow('it failed');
  expect(await cloud.status()).toMatchObject({ faults: [] });
});

test('no demo begins while another client has faults on order', async () => {
  await cloud.injectFault('Orders/PlaceOrder', 'killed-after');
  await expect(Stage.open(endpoint, () => {})).rejects.toThrow(/killed-after at Orders\/PlaceOrder.*\n.*local calm/);
  await cloud.clearFaults();
});

/** Plays the demo `outbox` as a process. @param more of the line of bash */
const playsOutbox = (more = ''): Started =>
  new Started('bash', ['-c', `ORDERLY_ENDPOINT=${url} exec node tools/run.mjs demo outbox ${more}`], ROOT);

test('Ctrl-C takes back what a demo has broken', async () => {
  const demo = playsOutbox();
  await demo.says('nobody has heard of it');
  expect((await cloud.status()).faults).toMatchObject([{ owner: 'Inventory/Outbox/Relay', kind: 'crashed' }]);
  const { code, output } = await demo.interrupt().ended();
  expect(code, output).toBe(130);
  expect(output).toContain('Interrupted. What it broke is mended.');
});

test('the end of its reader takes back what a demo has broken, too', async () => {
  const { output } = await playsOutbox('| head -n 5').ended();
  expect(output).toContain('is down');
  expect(output).not.toContain('    at ');
});
