import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileExamples, type FindImport, listExamples } from './docstring-examples.js';
import { filesBelow } from './names.js';

const sources = ['packages/kit', 'packages/client', 'packages/operator'].flatMap((folder) => filesBelow(folder, '.ts'));
const examples = sources.flatMap(listExamples);

/** Public modules by what they export: the approved API names them. */
const modules = ['kit', 'client', 'operator', 'simulator'].flatMap((name) =>
  readFileSync(`test/golden/public-api/${name}.txt`, 'utf8')
    .split(/^(?=# )/m)
    .filter((section) => !section.includes(': not exported'))
    .map((section) => ({
      module: /^# (\S+)/.exec(section)?.[1] ?? '',
      names: new Set(
        [
          ...section.matchAll(
            /^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) ([\w$]+)|^\/\/ exported as (\w+)$/gm,
          ),
        ].flatMap(([, declared, renamed]) => renamed ?? declared ?? []),
      ),
    })),
);
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['App', "import { App } from 'aws-cdk-lib';"],
  ['Duration', "import { Duration } from 'aws-cdk-lib';"],
  ['Stack', "import { Stack } from 'aws-cdk-lib';"],
  ['GetCommand', "import { GetCommand } from '@aws-sdk/lib-dynamodb';"],
  ['z', "import * as z from 'zod/mini';"],
]);

/** A public module that is made of the example's own folder, or another one, or the file itself, for what it keeps inside. */
const findImport: FindImport = (name, file) => {
  const folder = file.split('/')[2] ?? '';
  const found = modules.filter(({ names }) => names.has(name)).map(({ module }) => module);
  const module = found.find((one) => one.endsWith(`/${folder}`)) ?? found[0];
  if (module !== undefined) return `import { ${name} } from '${module}';`;
  const exported = new RegExp(`^export (?:async )?(?:const|function|class|type|interface) ${name}\\b`, 'm');
  if (exported.test(readFileSync(file, 'utf8')))
    return `import { ${name} } from '#root/${file.replace(/\.ts$/, '.js')}';`;
  return OTHERS.get(name);
};

/** Values and functions of the apps that the examples are taken from. Their types hold the examples to the kit's members. */
const SETTING = `
type Store = import('@orderly/kit/event-store').TransactionalEventStore<any, any, import('@orderly/kit/decider').Decider<any, any, any>>;
declare const bookingStore: Store, orderStore: Store, store: Store, tickets: Store, tripStore: Store;
declare const productStore: import('@orderly/kit/state-store').StateStore<any, any>;
declare const keys: import('@orderly/kit/personal-data').PersonalKeys;
declare const people: import('@orderly/kit/personal-data').PersonalKeys;
declare const request: import('@orderly/kit/http').Request<any, any, any>;
declare const bookings: any, openTicket: any, records: any, tripDecider: any, tripsContract: any;
declare const stack: import('aws-cdk-lib').Stack;
declare const platform: import('@orderly/kit/constructs').Platform;
declare const context: import('@orderly/kit/constructs').ServiceFunctionProps['context'];
type Schema = import('@orderly/kit/messages').EventSchema<any>;
type Events<Type extends string> = import('@orderly/kit/messages').EventSubscription<
  { readonly service: 'orders'; readonly events: Readonly<Record<Type, Schema>> },
  Type
>;
type Commands<Type extends string> = import('@orderly/kit/messages').CommandSubscription<{
  readonly service: 'seats';
  readonly events: {};
  readonly commands: Readonly<Record<Type, Schema>>;
}>;
declare const orderEnds: Events<'OrderApproved' | 'OrderCancelled'>, orderEvents: Events<'OrderPlaced'>;
declare const suspicions: Events<'UserSuspected'>;
declare const seatCommands: Commands<'BookSeat'>, hotelCommands: Commands<'BookHotel'>;
declare const accountCommands: Commands<'AuthorizeAccount'>;
declare const hotelsContract: Commands<'BookHotel' | 'CancelHotel'>['commandsOf'];
declare const nights: import('@orderly/kit/event-store').Aggregate<
  import('@orderly/kit/decider').Evolution<{ readonly rooms: number }, any>
>;
type Own = (...given: any[]) => any;
declare const added: Own, close: Own, onCommand: Own, onOrderEvent: Own, published: Own;
declare const release: Own, requireVisible: Own, review: Own, ship: Own, statusOf: Own, viewForCaller: Own;
`;

/** Examples that a rename has left behind, and other mistakes of users, each with a part of what the compiler says. */
const MISTAKES: readonly (readonly [code: string, message: string])[] = [
  ['const key = idempotencyKey(toKeyedRequest(request));', "Cannot find name 'idempotencyKey'"],
  [
    "const commit = tripStore.commit(loaded, [{ type: 'TripBooked', data: {} }], trace);",
    "Property 'commit' does not exist",
  ],
  ["export const endpoint = endpointFor<'agent'>({ people: ['agentId'] });", "'people' does not exist"],
  ['on(orderEnds, { OrderApproved: () => noEffect });', "Property 'OrderCancelled' is missing"],
  ['on(seatCommands, {});', "Property 'BookSeat' is missing"],
  ["buildCommand(hotelsContract, 'BookHotell', {});", '\'"BookHotell"\' is not assignable'],
  ['const { items } = await queryItems(documentClient, { TableName, ... });', 'Expected 3 arguments'],
];

test('examples of docstrings compile against what the packages export', { timeout: 60_000 }, () => {
  expect(examples.length).toBeGreaterThan(60);
  const planted = MISTAKES.map(([code], at) => ({
    place: `planted ${at}`,
    file: 'packages/kit/http/http.ts',
    code,
  }));
  const errors = compileExamples([...examples, ...planted], findImport, SETTING);
  expect(errors.filter(({ place }) => !place.startsWith('planted'))).toEqual([]);
  expect(errors).toEqual(
    MISTAKES.map(([, message], at) =>
      expect.objectContaining({ place: `planted ${at}`, message: expect.stringContaining(message) }),
    ),
  );
});
