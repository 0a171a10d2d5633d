import type { PersonalKeys } from '@orderly/kit/constructs';
import { addPeopleIndex, type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { AppEnv } from '../lambdas/environment.js';
import { CREATE_ORDER_SAGA, ordersContract } from '../lambdas/orders/contract.js';
import { CUSTOMER_LISTS, ORDER, ORDERS_LIST, USER_STATUSES } from '../lambdas/orders/keys.js';
import { answers, checkedOut, listEvents, orderEvents, statusChanges } from '../lambdas/orders/subscriptions.js';
import type { Settings } from './settings.js';

export interface OrdersStackProps extends EnvironmentProps {
  readonly settings: Settings;
  readonly personalKeys: PersonalKeys;
}

/** Service `orders`: customers place, read and cancel orders; sagas approve or reject them. */
export class OrdersStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: OrdersStackProps) {
    const name = ordersContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;
    addPeopleIndex(table);

    const placeOrder = service.endpoint('PlaceOrder', 'POST', '/orders', 'orders/place-order');
    service.grantAppend(placeOrder, ORDER);
    // It counts the recent orders of the customer.
    placeOrder.grantItems(table, ['Query'], CUSTOMER_LISTS);
    service.grantPointer(placeOrder);
    placeOrder.grantItems(table, ['GetItem'], USER_STATUSES);
    placeOrder.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(props.settings.customerLimits));
    props.personalKeys.grantEncrypt(placeOrder);
    const getOrder = service.endpoint('GetOrder', 'GET', '/orders/{orderId}', 'orders/get-order');
    service.grantLoad(getOrder, ORDER);
    props.personalKeys.grantDecrypt(getOrder);
    const listOrders = service.endpoint('ListOrders', 'GET', '/orders', 'orders/list-orders');
    listOrders.grantItems(table, ['Query'], CUSTOMER_LISTS);
    service.grantPointer(listOrders);
    props.personalKeys.grantDecrypt(listOrders);
    const history = service.endpoint('OrderHistory', 'GET', '/orders/{orderId}/history', 'orders/order-history');
    service.grantLoad(history, ORDER);
    props.personalKeys.grantDecrypt(history);
    const cancelOrder = service.endpoint(
      'CancelOrder',
      'POST',
      '/orders/{orderId}/cancellation',
      'orders/cancel-order',
    );
    service.grantEffect(cancelOrder, ORDER);
    service.grantRequestRecords(cancelOrder);
    props.personalKeys.grantEncrypt(cancelOrder);
    service.sessions('/sessions', [cancelOrder]);
    service.endpoint('IssueKey', 'POST', '/idempotency-keys', 'orders/issue-key');

    const saga = service.saga('Saga', {
      aggregate: CREATE_ORDER_SAGA,
      name: 'orders-saga',
      entry: 'orders/on-saga-message',
      hears: [orderEvents, ...Object.values(answers)],
    });
    service.grantEffect(saga, ORDER);

    service
      .consumer('UserStatuses', { name: 'orders-users', entry: 'orders/on-user-status', hears: [statusChanges] })
      .grantItems(table, ['GetItem', 'PutItem', 'ConditionCheckItem'], USER_STATUSES);

    const commands = service.consumer('Commands', {
      name: 'orders-commands',
      entry: 'orders/on-command',
      hears: [checkedOut],
    });
    service.grantEffect(commands, ORDER);
    // It reads the customer's status and recent orders, as placing an order does.
    commands.grantItems(table, ['GetItem'], USER_STATUSES);
    commands.grantItems(table, ['Query'], CUSTOMER_LISTS);
    service.grantPointer(commands);
    commands.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(props.settings.customerLimits));

    service.projection('ListProjection', {
      name: ORDERS_LIST,
      entry: 'orders/list-projection',
      rebuildEntry: 'orders/rebuild-list',
      hears: listEvents,
      aggregate: ORDER,
      rows: CUSTOMER_LISTS,
    });
  }
}
