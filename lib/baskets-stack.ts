import { type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { aggregateKeyPrefix } from '@orderly/kit/messages';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { basketsContract } from '../lambdas/baskets/contract.js';
import { BASKET, CHECKOUT, HOLDERS, PRICE_ROLLOUT, PRODUCTS } from '../lambdas/baskets/keys.js';
import * as routes from '../lambdas/baskets/routes.js';
import { placedOrders, productEvents, rolloutCommands } from '../lambdas/baskets/subscriptions.js';
import { AppEnv } from '../lambdas/environment.js';
import type { Settings } from './settings.js';

export interface BasketsStackProps extends EnvironmentProps {
  readonly settings: Settings;
}

const BASKETS = aggregateKeyPrefix(BASKET);

/** Service `baskets`: customers fill a basket, see changed prices, and check it out, which places an order. */
export class BasketsStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: BasketsStackProps) {
    const name = basketsContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;

    const getBasket = service.addEndpoint('GetBasket', routes.getBasket, 'baskets/get-basket');
    const setItem = service.addEndpoint('SetItem', routes.setItem, 'baskets/set-item');
    const removeItem = service.addEndpoint('RemoveItem', routes.removeItem, 'baskets/remove-item');
    const seePrices = service.addEndpoint('SeePrices', routes.seePrices, 'baskets/see-prices');
    const { throttle } = props.settings.orders;
    const checkOut = service.addEndpoint('CheckOut', routes.checkOut, 'baskets/check-out', { throttle });
    if (props.settings.unchargeableOrders === 'refuse') checkOut.setEnvironment(AppEnv.UNCHARGEABLE_ORDERS, 'refuse');
    // Every one of them brings the prices up to date, so it reads the products and may write the basket.
    for (const handler of [getBasket, setItem, removeItem, seePrices, checkOut]) {
      handler.grantItems(table, ['GetItem', 'PutItem'], BASKETS);
      handler.grantItems(table, ['BatchGetItem'], PRODUCTS);
    }
    setItem.grantItems(table, ['PutItem'], HOLDERS);
    removeItem.grantItems(table, ['DeleteItem'], HOLDERS);
    service.grantAppend(checkOut, CHECKOUT);

    const products = service.addConsumer('Products', {
      name: 'baskets-products',
      entry: 'baskets/on-product-event',
      subscribesTo: [productEvents, rolloutCommands],
    });
    products.grantItems(table, ['BatchGetItem', 'PutItem', 'ConditionCheckItem'], PRODUCTS);
    products.grantItems(table, ['Query'], HOLDERS);
    products.grantItems(table, ['GetItem', 'PutItem'], BASKETS);
    products.grantItems(table, ['GetItem', 'PutItem'], aggregateKeyPrefix(PRICE_ROLLOUT));

    const placed = service.addConsumer('PlacedOrders', {
      name: 'baskets-orders',
      entry: 'baskets/on-order-event',
      subscribesTo: [placedOrders],
      fair: false,
    });
    placed.grantItems(table, ['GetItem', 'PutItem'], BASKETS);
    placed.grantItems(table, ['DeleteItem'], HOLDERS);
  }
}
