import type { Construct } from 'constructs';
import { AppEnv } from '../lambdas/environment.js';
import { CREATE_ORDER_SAGA, ordersContract } from '../lambdas/orders/contract.js';
import { CUSTOMER_LISTS, ORDER } from '../lambdas/orders/keys.js';
import { answers, listEvents, orderEvents } from '../lambdas/orders/subscriptions.js';
import type { PersonalKeys } from '../packages/kit/personal-data/personal-keys.construct.js';
import { ServiceStack, type ServiceStackProps } from '../packages/kit/service/service-stack.js';
import { addPeopleIndex } from '../packages/kit/service/tables.construct.js';
import type { Settings } from './settings.js';

export interface OrdersStackProps extends ServiceStackProps {
  readonly settings: Settings;
  readonly personalKeys: PersonalKeys;
}

/** Orders: placed, read, cancelled; approved or rejected by their sagas. */
export class OrdersStack extends ServiceStack {
  constructor(scope: Construct, id: string, props: OrdersStackProps) {
    super(scope, id, ordersContract.service, props);
    const { table } = this;
    addPeopleIndex(table);

    const placeOrder = this.endpoint('PlaceOrder', 'POST', '/orders', 'orders/place-order');
    this.grantAppend(placeOrder, ORDER);
    // How many orders its customer has placed lately.
    placeOrder.grantItems(table, ['Query'], CUSTOMER_LISTS);
    this.grantPointer(placeOrder);
    placeOrder.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(props.settings.customerLimits));
    props.personalKeys.grantEncrypt(placeOrder);
    const getOrder = this.endpoint('GetOrder', 'GET', '/orders/{orderId}', 'orders/get-order');
    this.grantLoad(getOrder, ORDER);
    props.personalKeys.grantDecrypt(getOrder);
    const listOrders = this.endpoint('ListOrders', 'GET', '/orders', 'orders/list-orders');
    listOrders.grantItems(table, ['Query'], CUSTOMER_LISTS);
    this.grantPointer(listOrders);
    props.personalKeys.grantDecrypt(listOrders);
    const history = this.endpoint('OrderHistory', 'GET', '/orders/{orderId}/history', 'orders/order-history');
    this.grantLoad(history, ORDER);
    props.personalKeys.grantDecrypt(history);
    const cancelOrder = this.endpoint('CancelOrder', 'POST', '/orders/{orderId}/cancellation', 'orders/cancel-order');
    this.grantEffect(cancelOrder, ORDER);
    this.grantRequestRecords(cancelOrder);
    props.personalKeys.grantEncrypt(cancelOrder);
    this.sessions('/sessions', [cancelOrder]);
    this.endpoint('IssueKey', 'POST', '/idempotency-keys', 'orders/issue-key');

    const saga = this.saga('Saga', {
      aggregate: CREATE_ORDER_SAGA,
      name: 'orders-saga',
      entry: 'orders/on-saga-message',
      hears: [orderEvents, ...Object.values(answers)],
    });
    this.grantEffect(saga, ORDER);

    this.projection('ListProjection', {
      name: 'orders-list',
      entry: 'orders/list-projection',
      rebuildEntry: 'orders/rebuild-list',
      hears: listEvents,
      aggregate: ORDER,
      rows: CUSTOMER_LISTS,
    });
  }
}
