import type { Construct } from 'constructs';
import { AppEnv } from '../lambdas/environment.js';
import { CREATE_ORDER_SAGA, ordersContract } from '../lambdas/orders/contract.js';
import { answers, listEvents, orderEvents } from '../lambdas/orders/subscriptions.js';
import type { PersonalKeys } from '../packages/kit/personal-data/personal-keys.construct.js';
import { ServiceStack, type ServiceStackProps } from '../packages/kit/service/service-stack.js';
import { addPeopleIndex } from '../packages/kit/service/tables.construct.js';
import type { Settings } from './settings.js';

export interface OrdersStackProps extends ServiceStackProps {
  readonly settings: Settings;
  readonly personalKeys: PersonalKeys;
}

const ORDERS = 'Order#';
const ORDERS_OF_CUSTOMERS = 'CUSTOMER#';

/** Orders: placed, read, cancelled; approved or rejected by their sagas. */
export class OrdersStack extends ServiceStack {
  constructor(scope: Construct, id: string, props: OrdersStackProps) {
    super(scope, id, ordersContract.service, props);
    const { table } = this;
    addPeopleIndex(table);

    const placeOrder = this.endpoint('PlaceOrder', 'POST', '/orders', 'orders/place-order');
    placeOrder.grantItems(table, ['PutItem', 'Query'], ORDERS);
    // How many orders its customer has placed lately.
    placeOrder.grantItems(table, ['Query'], ORDERS_OF_CUSTOMERS);
    this.grantPointer(placeOrder);
    placeOrder.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(props.settings.customerLimits));
    props.personalKeys.grantEncrypt(placeOrder);
    const getOrder = this.endpoint('GetOrder', 'GET', '/orders/{orderId}', 'orders/get-order');
    getOrder.grantItems(table, ['Query'], ORDERS);
    props.personalKeys.grantDecrypt(getOrder);
    const listOrders = this.endpoint('ListOrders', 'GET', '/orders', 'orders/list-orders');
    listOrders.grantItems(table, ['Query'], ORDERS_OF_CUSTOMERS);
    this.grantPointer(listOrders);
    props.personalKeys.grantDecrypt(listOrders);
    const history = this.endpoint('OrderHistory', 'GET', '/orders/{orderId}/history', 'orders/order-history');
    history.grantItems(table, ['Query'], ORDERS);
    props.personalKeys.grantDecrypt(history);
    const cancelOrder = this.endpoint('CancelOrder', 'POST', '/orders/{orderId}/cancellation', 'orders/cancel-order');
    cancelOrder.grantItems(table, ['Query', 'PutItem', 'ConditionCheckItem'], ORDERS);
    this.grantRequestRecords(cancelOrder);
    props.personalKeys.grantEncrypt(cancelOrder);
    this.sessions('/sessions', [cancelOrder]);
    this.endpoint('IssueKey', 'POST', '/idempotency-keys', 'orders/issue-key');

    this.saga('Saga', {
      aggregate: CREATE_ORDER_SAGA,
      name: 'orders-saga',
      entry: 'orders/on-saga-message',
      hears: [orderEvents, ...Object.values(answers)],
    }).grantItems(table, ['Query', 'PutItem', 'ConditionCheckItem'], ORDERS);

    this.projection('ListProjection', {
      name: 'orders-list',
      entry: 'orders/list-projection',
      rebuildEntry: 'orders/rebuild-list',
      hears: listEvents,
      aggregates: ORDERS,
      rows: ORDERS_OF_CUSTOMERS,
    });
  }
}
