import { type App, Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { expect, test } from 'vitest';
import { Account } from '../../../packages/simulator/deployments/account.js';
import { cdkDeployAll } from '../../../packages/simulator/deployments/command-line.js';
import { replacementOf } from '../../../tools/release/check/replacements.js';
import { addLine, found, functionOf, releaseOf } from '../../support/releases.js';

/** Functions of a service's stack, and those of them that have a route. */
interface Shop {
  readonly catalog: readonly string[];
  readonly orders?: readonly string[];
  readonly routes: readonly string[];
  /** Texts whose lines are in the stack of the catalog. */
  readonly mends?: readonly string[];
}

const shop = ({ catalog, orders = [], routes, mends = [] }: Shop) =>
  releaseOf((app: App) => {
    const services = { Catalog: new Stack(app, 'Catalog'), Orders: new Stack(app, 'Orders') };
    const functions = [
      ...catalog.map((name) => [name, functionOf(services.Catalog, name)] as const),
      ...orders.map((name) => [name, functionOf(services.Orders, name)] as const),
    ];
    for (const mend of mends) addLine(services.Catalog, mend);
    const api = new RestApi(new Stack(app, 'Api'), 'Api', { cloudWatchRole: false });
    api.root.addMethod('GET');
    for (const [name, handler] of functions) {
      if (routes.includes(name)) api.root.addResource(name).addMethod('GET', new LambdaIntegration(handler));
    }
  });

const BEFORE: Shop = { catalog: ['get', 'set'], routes: ['get', 'set'] };

test('a route is added', () =>
  expect(found(shop(BEFORE), shop({ catalog: ['get', 'set', 'find'], routes: ['get', 'set', 'find'] })).kinds).toEqual(
    [],
  ));

test.each<[string, Shop, Shop]>([
  ['removed', { catalog: ['get'], routes: ['get'] }, { catalog: ['get', 'set'], routes: ['get'] }],
  [
    'renamed',
    { catalog: ['get', 'put'], routes: ['get', 'put'] },
    { catalog: ['get', 'set', 'put'], routes: ['get', 'put'] },
  ],
  [
    'moved to another service',
    { catalog: ['get'], orders: ['set'], routes: ['get', 'set'] },
    { catalog: ['get', 'set'], orders: ['take'], routes: ['get', 'take'] },
  ],
])(
  'a route that is %s: the export in use refuses it, the line of the finding mends it, and the next release ends it',
  (_, wanted, kept) => {
    const before = shop(BEFORE);
    const { kinds, mends } = found(before, shop(wanted));
    expect(kinds).toEqual(['export-in-use set']);
    expect(mends[0]).toMatch(/^keep set in stack Catalog for one release, and beside it: this\.exportValue\(.+\);$/);
    // `cdk deploy --all` ends at the service's stack, so the API is never told.
    const account = new Account(replacementOf);
    cdkDeployAll(account, before.stacks);
    expect(cdkDeployAll(account.copy(), shop(wanted).stacks).map(({ stack, status }) => [stack, status])).toEqual([
      ['Catalog', 'UPDATE_ROLLBACK_COMPLETE'],
    ]);
    const between = shop({ ...kept, mends });
    expect(found(before, between).kinds).toEqual([]);
    expect(found(between, shop({ ...kept, catalog: kept.catalog.filter((name) => name !== 'set') })).kinds).toEqual([]);
  },
);

test('the kept function without its line is refused as well, and the line is all that is missing', () => {
  const { kinds, mends } = found(shop(BEFORE), shop({ catalog: ['get', 'set'], routes: ['get'] }));
  expect(kinds).toEqual(['export-in-use set']);
  expect(mends[0]).toMatch(/^in stack Catalog, for one release: this\.exportValue\(.+\);$/);
});
