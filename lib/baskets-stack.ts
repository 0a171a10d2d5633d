import { type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { keysOf } from '@orderly/kit/messages';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { basketsContract } from '../lambdas/baskets/contract.js';
import { BASKET, CHECKOUT, HOLDERS, PRICE_ROLLOUT, PRODUCTS } from '../lambdas/baskets/keys.js';
import * as routes from '../lambdas/baskets/routes.js';
import { placedOrders, productEvents, rollouts } from '../lambdas/baskets/subscriptions.js';
import { AppEnv } from '../lambdas/environment.js';
import type { Settings } from './settings.js';

export interface BasketsStackProps extends EnvironmentProps {
  readonly settings: Settings;
}

const BASKETS = keysOf(BASKET);

/** Service `baskets`: customers fill a basket, see changed prices, and check it out, which places an order. */
export class BasketsStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: BasketsStackProps) {
    const name = basketsContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;

    const getBasket = service.endpoint('GetBasket', routes.getBasket, 'baskets/get-basket');
    const setItem = service.endpoint('SetItem', routes.setItem, 'baskets/set-item');
    const removeItem = service.endpoint('RemoveItem', routes.removeItem, 'baskets/remove-item');
    const seePrices = service.endpoint('SeePrices', routes.seePrices, 'baskets/see-prices');
    const { throttle } = props.settings.orders;
    const checkOut = service.endpoint('CheckOut', routes.checkOut, 'baskets/check-out', { throttle });
    if (props.settings.unchargeableOrders === 'refuse') checkOut.setEnvironment(AppEnv.UNCHARGEABLE_ORDERS, 'refuse');
    // Every one of them brings the prices up to date, so it reads the products and may write the basket.
    for (const handler of [getBasket, setItem, removeItem, seePrices, checkOut]) {
      handler.grantItems(table, ['GetItem', 'PutItem'], BASKETS);
      handler.grantItems(table, ['BatchGetItem'], PRODUCTS);
    }
    setItem.grantItems(table, ['PutItem'], HOLDERS);
    removeItem.grantItems(table, ['DeleteItem'], HOLDERS);
    service.grantAppend(checkOut, CHECKOUT);

    const products = service.consumer('Products', {
      name: 'baskets-products',
      entry: 'baskets/on-product-event',
      hears: [productEvents, rollouts],
    });
    products.grantItems(table, ['BatchGetItem', 'PutItem', 'ConditionCheckItem'], PRODUCTS);
    products.grantItems(table, ['Query'], HOLDERS);
    products.grantItems(table, ['GetItem', 'PutItem'], BASKETS);
    products.grantItems(table, ['GetItem', 'PutItem'], keysOf(PRICE_ROLLOUT));

    const placed = service.consumer('PlacedOrders', {
      name: 'baskets-orders',
      entry: 'baskets/on-order-event',
      hears: [placedOrders],
    });
    placed.grantItems(table, ['GetItem', 'PutItem'], BASKETS);
    placed.grantItems(table, ['DeleteItem'], HOLDERS);
  }
}
