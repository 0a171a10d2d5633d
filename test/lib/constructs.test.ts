import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AttributeType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ordersContract } from '../../lambdas/orders/contract.js';
import { settingsFor } from '../../lib/settings.js';
import { Bundles, UnknownEntry } from '../../packages/kit/base/bundles.js';
import { ServiceFunction } from '../../packages/kit/base/service-function.construct.js';
import type { DedupeWindowSetting } from '../../packages/kit/base/settings.js';
import { recordsTable } from '../../packages/kit/base/tables.construct.js';
import { Api } from '../../packages/kit/http/api.construct.js';
import {
  IdempotentConsumer,
  type IdempotentConsumerProps,
} from '../../packages/kit/idempotent-consumer/idempotent-consumer.construct.js';
import { mapToSources } from '../../packages/operator/deployment/source-maps.js';
import { operatorEntries } from '../../packages/operator/entries.js';
import { BUNDLE_CACHE } from '../../tools/local/assembly.js';
import { newApp, noCode } from '../support/environments.js';

const settings = settingsFor('dev');
const context = { service: 'shipping', settings, bundles: noCode };
const orders = (...types: string[]) => [{ contract: ordersContract, types }];

type Faulty = Partial<IdempotentConsumerProps> & { dedupeWindow?: DedupeWindowSetting; reservedConcurrency?: number };

/** Returns the construct's error for these props, or nothing if it takes them. */
function faultsOf(
  { dedupeWindow = settings.dedupeWindow, reservedConcurrency, ...props }: Faulty,
  existing: (stack: Stack) => Partial<IdempotentConsumerProps> = () => ({}),
): readonly string[] {
  const stack = new Stack(newApp(), 'Kit', { env: { account: '111111111111', region: 'eu-west-1' } });
  const handler = new ServiceFunction(stack, 'Handler', {
    context: { ...context, settings: { ...settings, dedupeWindow } },
    entry: 'any',
    ...(reservedConcurrency && { reservedConcurrency }),
  });
  new IdempotentConsumer(stack, 'Consumer', {
    name: 'shipping-orders',
    bus: new EventBus(stack, 'Bus'),
    subscribesTo: orders('OrderPlaced'),
    records: recordsTable(stack, 'Records', settings),
    alarmTopic: new Topic(stack, 'Alarms'),
    handler,
    ...props,
    ...existing(stack),
  });
  return Annotations.fromStack(stack)
    .findError('*', Match.anyValue())
    .map(({ entry }) => String(entry.data));
}

describe('a consumer', () => {
  test('takes good settings', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ dedupeWindow: Duration.days(23) })).toEqual([]);
  });

  test('takes a bus and a table that are there already', () => {
    const existing = (stack: Stack) => ({
      bus: EventBus.fromEventBusName(stack, 'ExistingBus', 'shared'),
      records: TableV2.fromTableName(stack, 'ExistingRecords', 'records'),
    });
    expect(faultsOf({}, existing)).toEqual([]);
  });

  test('refuses a bus of another account or region, which takes no rule of this stack', () => {
    const busIn = (place: string) => (stack: Stack) => ({
      bus: EventBus.fromEventBusArn(stack, 'ExistingBus', `arn:aws:events:${place}:event-bus/shared`),
    });
    expect(faultsOf({}, busIn('eu-west-1:111111111111'))).toEqual([]);
    for (const [region, account] of [
      ['eu-west-1', '222222222222'],
      ['us-east-1', '111111111111'],
    ]) {
      expect(faultsOf({}, busIn(`${region}:${account}`))).toEqual([
        `bus 'shared' is in account ${account}, region ${region}: expected a bus of this stack's own account and region`,
      ]);
    }
  });

  test('refuses a table with a KMS key that its function may not use', () => {
    const encrypted = (stack: Stack) => ({
      records: new TableV2(stack, 'Encrypted', {
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        encryption: TableEncryptionV2.customerManagedKey(new Key(stack, 'Key')),
      }),
    });
    expect(faultsOf({}, encrypted)).toContain(
      "table Kit/Encrypted is encrypted by a KMS key of its own, on which this function has no permission: expected DynamoDB's own key, or AWS's",
    );
  });

  test.each([1, 1_001, 2.5, Number.NaN])(
    'refuses a maximum concurrency of %d, which AWS refuses for a queue',
    (value) => {
      expect(faultsOf({ maxConcurrency: value })).toEqual([`maxConcurrency is ${value}: expected 2 to 1,000`]);
    },
  );

  test.each([2, 1_000])('takes a maximum concurrency of %d', (maxConcurrency) => {
    expect(faultsOf({ maxConcurrency })).toEqual([]);
  });

  test('refuses a reserved concurrency below its own maximum', () => {
    expect(faultsOf({ maxConcurrency: 20, reservedConcurrency: 19 })).toEqual([
      'reservedConcurrency of 19 is below the 20 batches that its queue hands it at once: take 20 or more',
    ]);
  });

  test.each([22, 7])('refuses a dedupe window of %d days: a redelivery may take 22', (days) => {
    expect(faultsOf({ dedupeWindow: Duration.days(days) })).toEqual([
      `dedupeWindow of ${days} days is not longer than the longest redelivery (22 days: bus, queue and dead-letter queue)`,
    ]);
  });

  test('refuses a list of dedupe windows in which one is too short', () => {
    const dedupeWindow = [
      { from: '2026-01-01', window: Duration.days(35) },
      { from: '2026-02-01', window: Duration.days(20) },
    ];
    expect(faultsOf({ dedupeWindow })).toEqual([expect.stringMatching(/^dedupeWindow of 20 days is not longer than/)]);
    expect(faultsOf({ dedupeWindow: dedupeWindow.slice(0, 1) })).toEqual([]);
  });

  test('refuses to reserve fewer executions than its queue hands it batches at once', () => {
    expect(faultsOf({ reservedConcurrency: 9 })).toEqual([
      'reservedConcurrency of 9 is below the 10 batches that its queue hands it at once: take 10 or more',
    ]);
    expect(faultsOf({ reservedConcurrency: 10 })).toEqual([]);
  });

  test('refuses an event type that the contract doesn’t know', () => {
    expect(faultsOf({ subscribesTo: orders('OrderPlaced', 'OrderShiped') })).toEqual([
      "event type 'OrderShiped' is not in the contract of orders, which has: OrderPlaced, OrderReviewStarted, OrderReviewEnded, OrderApproved, OrderDispatched, OrderRejected, OrderCancelled",
    ]);
  });

  test('refuses to listen to nothing', () => {
    expect(faultsOf({ subscribesTo: [] })).toEqual(['subscribesTo is empty: a consumer listens to something']);
    expect(faultsOf({ subscribesTo: orders() })).toEqual([
      expect.stringMatching(/^subscribesTo has no event of orders: name at least one/),
    ]);
  });

  test.each(['Shipping', 'a@b', 'a#b', ''])('refuses the name "%s", which would not fit into a key', (name) => {
    expect(faultsOf({ name })).toEqual([`name '${name}' is not 1 to 63 of a-z, 0-9 and -, beginning with a letter`]);
  });

  test.each([
    ['shipping-orders', 'Records', false],
    ['shipping-parcels', 'Records', true],
    ['shipping-orders', 'OtherRecords', true],
  ])('a second consumer named %s, with %s, is accepted only if no key is the same', (name, table, taken) => {
    const copied = (stack: Stack): Partial<IdempotentConsumerProps> => {
      const [Records, OtherRecords] = [recordsTable(stack, 'Shared', settings), recordsTable(stack, 'Own', settings)];
      new IdempotentConsumer(stack, 'Copied', {
        name,
        bus: new EventBus(stack, 'CopiedBus'),
        subscribesTo: orders('OrderApproved'),
        records: table === 'Records' ? Records : OtherRecords,
        alarmTopic: new Topic(stack, 'CopiedAlarms'),
        handler: new ServiceFunction(stack, 'CopiedHandler', { context, entry: 'any' }),
      });
      return { records: Records };
    };
    expect(faultsOf({}, copied)).toEqual(
      taken
        ? []
        : [
            "Kit/Copied and Kit/Consumer are both named 'shipping-orders' and share a records table, so each message would have the effect of only one of them: give Kit/Consumer a name of its own",
          ],
    );
  });

  test.each(['2025-11-23', '2025-11-23T08:00:00Z'])('a consumer may say that it is deployed since %s', (since) => {
    expect(faultsOf({ since })).toEqual([]);
  });

  test('refuses a time of its first deployment that is malformed, or has not come', () => {
    expect(faultsOf({ since: 'yesterday' })).toEqual([
      "since 'yesterday': expected a date or a time in UTC, as 2026-12-01 or 2026-12-01T08:00:00Z",
    ]);
    expect(faultsOf({ since: '2999-01-01' })).toEqual([
      "since '2999-01-01' is in the future: expected a time before the first deployment of this name and generation",
    ]);
  });

  test('refuses the relay’s name', () => {
    expect(faultsOf({ name: 'relay' })).toEqual(["name 'relay' is the relay's own: their failure records would mix"]);
  });
});

describe('the API', () => {
  test('refuses two functions at one address', () => {
    const stack = new Stack(newApp(), 'Kit');
    const handler = new ServiceFunction(stack, 'Handler', { context, entry: 'any' });
    const route = { method: 'GET', path: '/things', handler } as const;
    expect(
      () =>
        new Api(stack, 'Api', {
          settings,
          bundles: noCode,
          services: [{ routes: [route] }, { routes: [route] }],
          alarmTopic: new Topic(stack, 'Alarms'),
        }),
    ).toThrow('two functions answer to GET /things: expected one');
  });
});

describe('bundles', () => {
  const bundles = new Bundles('lambdas', { cache: BUNDLE_CACHE, packages: { operator: operatorEntries } });
  const elsewhere = mkdtempSync(join(tmpdir(), 'app-of-the-kit-'));
  /** Uses a kit that is installed as JavaScript with one small entry point, because bundling the whole kit takes a second. */
  let Installed: typeof Bundles;
  beforeAll(async () => {
    const modules = join(elsewhere, 'node_modules');
    const kit = join(modules, '@orderly', 'kit');
    const sources = fileURLToPath(new URL('../../packages/kit', import.meta.url));
    buildSync({
      entryPoints: ['base/bundles.ts', 'base/bundle-cache.ts', 'base/outputs.ts'].map((file) => join(sources, file)),
      outbase: sources,
      outdir: kit,
      format: 'esm',
      logLevel: 'warning',
    });
    for (const [file, text] of Object.entries({
      'package.json': '{ "type": "module" }',
      'outbox/relay.lambda.js':
        "import * as chain from '@aws-sdk/credential-provider-node';\nexport const handler = chain;",
      'outbox/relay.lambda.d.ts': 'export declare const handler: unknown;',
      'aws/credentials-from-environment.js': "export const stand = 'in';",
    })) {
      mkdirSync(dirname(join(kit, file)), { recursive: true });
      writeFileSync(join(kit, file), text);
    }
    for (const name of ['aws-cdk-lib', 'esbuild']) symlinkSync(resolve('node_modules', name), join(modules, name));
    ({ Bundles: Installed } = await import(join(kit, 'base', 'bundles.js')));
  });
  afterAll(() => {
    rmSync(elsewhere, { recursive: true, force: true });
  });

  test('there is one bundle per entry point', () => {
    expect(bundles.entries).toContain('orders/place-order');
    expect(bundles.entries).toContain('kit/outbox/relay');
    expect(() => bundles.code('orders/nothing')).toThrow(UnknownEntry);
  });

  test('name the folder in which an unknown entry point was searched', () => {
    expect(() => bundles.code('orders/nothing')).toThrow(
      `no entry point 'orders/nothing': expected ${resolve('lambdas/orders/nothing.lambda.ts')}, or one of the packages kit, operator`,
    );
  });

  test('bundles come from any folder, with the kit’s own entry points', () => {
    const folder = join(elsewhere, 'functions');
    for (const [file, text] of Object.entries({
      'open-ticket.lambda.ts': "export const handler = async (): Promise<string> => 'opened';",
      'relay.lambda.ts': "export const handler = async (): Promise<string> => 'of the app';",
      'node_modules/other/not-ours.lambda.ts': 'broken',
      'not-an-entry.ts': 'broken',
    })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const foreign = new Bundles(folder, { root: elsewhere });
    expect(foreign.entries.filter((entry) => !entry.startsWith('kit/'))).toEqual(['open-ticket', 'relay']);
    expect(foreign.entries).toEqual(expect.arrayContaining(['kit/outbox/relay', 'kit/http/authorizer']));
    expect(foreign.sizeOf('relay').total).toBeLessThan(foreign.sizeOf('kit/outbox/relay').total);
    foreign.remove();
  });

  test('the cache returns bundles of the same sources, entry points and package settings', () => {
    const folder = join(elsewhere, 'cached');
    const cache = join(elsewhere, 'cache');
    mkdirSync(folder, { recursive: true });
    const ago = new Date(Date.now() - 60_000);
    const source = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      utimesSync(join(folder, name), ago, ago);
    };
    source('one.lambda.ts', "import { text } from './text.js'; export const handler = () => text;");
    source('text.ts', "export const text = 'first';");
    const made = () => {
      const bundles = new Installed(folder, { root: elsewhere, cache });
      bundles.remove();
      expect(bundles.sizeOf('one').total).toBeGreaterThan(0);
      return readdirSync(cache).filter((name) => !name.endsWith('.json')).length;
    };
    expect([made(), made()]).toEqual([1, 1]);
    source('text.ts', "export const text = 'second';");
    expect(made()).toBe(2);
    source('text.js', "export const text = 'what the import finds now';");
    expect(made()).toBe(3);
    writeFileSync(join(elsewhere, 'package.json'), '{ "sideEffects": false }');
    expect([made(), made()]).toEqual([4, 4]);
  });

  test('name themselves in stacks, and their maps lead to the sources', () => {
    const folder = join(elsewhere, 'failing');
    mkdirSync(folder, { recursive: true });
    const source = `import { readFileSync } from 'node:fs';
export const handler = (): string => {
  return readFileSync('/nowhere/at all', 'utf8');
};
`;
    writeFileSync(join(folder, 'fails.lambda.ts'), source);
    const failing = new Installed(folder, { root: elsewhere });
    const app = new App({ outdir: join(elsewhere, 'failing.out') });
    failing.code('fails').bind(new Stack(app, 'Asset'));
    const [asset = ''] = readdirSync(app.outdir).filter((name) => name.startsWith('asset.'));
    const file = join(app.outdir, asset, 'index.js');
    const code = `try { require(${JSON.stringify(file)}).handler() } catch ({ stack }) { console.log(stack) }`;
    const stack = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' });
    const [own = ''] = stack.split('\n').filter((frame) => frame.includes('fails@'));
    expect(own).toMatch(/\(fails@[0-9a-f]{8}\.js:\d+:\d+\)$/);
    const maps = join(elsewhere, '.build/source-maps');
    expect(mapToSources([own, 'at x (y.js:1:1)'], maps)).toEqual([
      expect.stringMatching(/\(failing\/fails\.lambda\.ts:3:\d+\)$/),
      'at x (y.js:1:1)',
    ]);
    // Of other code there is no map.
    const other = own.replace(/@[0-9a-f]{8}/, '@00000000');
    expect(mapToSources([other], maps)).toEqual([other]);
    failing.remove();
  });

  test('find the kit’s own entry points where it is installed as JavaScript', () => {
    const folder = join(elsewhere, 'empty');
    mkdirSync(folder);
    const installed = new Installed(folder, { root: elsewhere });
    expect(installed.entries).toEqual(['kit/outbox/relay']);
    expect([...installed.sizeOf('kit/outbox/relay').byPackage.keys()]).toEqual(['@orderly/kit']);
    installed.remove();
  });

  // Bytes only, which are the same whichever Node bundles: a time of loading is measured by no test (decision 0251).
  describe('for a gateway whose authorizer always runs', () => {
    const behind = new Bundles('lambdas', {
      cache: BUNDLE_CACHE,
      packages: { operator: operatorEntries },
      tokens: 'gateway',
    });

    test('the bundle of place-order has at most 345 KiB, most of it the SDK', () => {
      const { total, byPackage } = behind.sizeOf('orders/place-order');
      expect(total).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(345 * 1024);
      const sdk = [...byPackage].filter(([name]) => /^@(smithy|aws-sdk)\//.test(name));
      expect(sdk.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeGreaterThan(total / 2);
    });

    test('only the authorizer contains the verifier of tokens', () => {
      const verifies = (of: Bundles) => (entry: string) => of.sizeOf(entry).byPackage.has('aws-jwt-verify');
      expect(behind.entries.filter(verifies(behind))).toEqual(['kit/http/authorizer']);
      expect(bundles.entries.filter(verifies(bundles))).toContain('orders/place-order');
    });
  });

  test('hold no credential chain', () => {
    for (const entry of bundles.entries) {
      const packages = [...bundles.sizeOf(entry).byPackage.keys()];
      expect(packages.filter((name) => /credential-provider|token-providers|nested-clients/.test(name))).toEqual([]);
    }
  });
});
