import type { PersonalKeys } from '@orderly/kit/constructs';
import {
  addObjective,
  addPeopleIndex,
  type EnvironmentProps,
  metricsNamespace,
  Service,
  type ServiceFunction,
  serviceMetric,
  stackProps,
} from '@orderly/kit/constructs';
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { AppEnv } from '../lambdas/environment.js';
import { SYNTHETIC_OUTPUT } from '../lambdas/operations/keys.js';
import { ordersContract } from '../lambdas/orders/contract.js';
import { OrdersEnv } from '../lambdas/orders/environment.js';
import {
  CREATE_ORDER_SAGA,
  CUSTOMER_LISTS,
  ORDER,
  ORDERS_LIST,
  PLACED_INDEX,
  REVIEWS,
  USER_COPIES,
} from '../lambdas/orders/keys.js';
import { DECISION_LIMIT_SECONDS, OrdersMetric } from '../lambdas/orders/metrics.js';
import * as routes from '../lambdas/orders/routes.js';
import { createOrderContract } from '../lambdas/orders/saga-contract.js';
import {
  checkoutCommands,
  listEvents,
  orderEvents,
  payerChanges,
  sagaReplies,
  statusChanges,
  userChanges,
} from '../lambdas/orders/subscriptions.js';
import { toInboxOptions } from './inbox-settings.js';
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
    const service = new Service(this, 'Default', {
      ...props,
      name,
      contracts: [ordersContract, createOrderContract],
    });
    this.service = service;
    const { table } = service;
    addPeopleIndex(table);
    // Sparse: only rows of customers' lists are in it. A row's own sort key begins with the time of its order.
    table.addGlobalSecondaryIndex({
      indexName: PLACED_INDEX,
      partitionKey: { name: 'placedPk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['summary'],
    });
    const counted = (metric: string) => serviceMetric(metricsNamespace(props.settings), name, metric);
    addObjective(service, {
      name: 'OrdersLate',
      total: counted(OrdersMetric.ORDERS_DECIDED),
      bad: counted(OrdersMetric.ORDERS_DECIDED_LATE),
      objective: 0.999,
      means: `orders are decided later than ${DECISION_LIMIT_SECONDS} seconds after they were placed`,
      topic: props.alarmTopic,
    });

    const { throttle, sagaConcurrency } = props.settings.orders;
    const placeOrder = service.addEndpoint('PlaceOrder', routes.placeOrder, 'orders/place-order', { throttle });
    service.grantAppend(placeOrder, ORDER);
    this.admitOrders(placeOrder, props.settings);
    if (props.settings.unchargeableOrders === 'refuse') placeOrder.setEnvironment(AppEnv.UNCHARGEABLE_ORDERS, 'refuse');
    props.personalKeys.grantEncrypt(placeOrder);
    const getOrder = service.addEndpoint('GetOrder', routes.getOrder, 'orders/get-order');
    service.grantLoad(getOrder, ORDER);
    props.personalKeys.grantDecrypt(getOrder);
    const listOrders = service.addEndpoint('ListOrders', routes.listOrders, 'orders/list-orders');
    listOrders.grantItems(table, ['Query'], CUSTOMER_LISTS, REVIEWS);
    service.grantLoad(listOrders, ORDER);
    service.grantPointer(listOrders);
    props.personalKeys.grantDecrypt(listOrders);
    const history = service.addEndpoint('OrderHistory', routes.orderHistory, 'orders/order-history');
    service.grantLoad(history, ORDER);
    props.personalKeys.grantDecrypt(history);
    const cancelOrder = service.addEndpoint('CancelOrder', routes.cancelOrder, 'orders/cancel-order');
    service.grantEffect(cancelOrder, ORDER);
    service.grantRequestRecords(cancelOrder);
    cancelOrder.grantItems(table, ['DeleteItem'], REVIEWS);
    props.personalKeys.grantEncrypt(cancelOrder);
    service.addSessions(routes.openSession.path, [cancelOrder]);
    const dispatchOrder = service.addEndpoint('DispatchOrder', routes.dispatchOrder, 'orders/dispatch-order');
    service.grantEffect(dispatchOrder, ORDER);
    service.grantRequestRecords(dispatchOrder);
    service.addEndpoint('IssueKey', routes.issueKey, 'orders/issue-key');

    const saga = service.addSaga('Saga', {
      aggregate: CREATE_ORDER_SAGA,
      name: 'orders-saga',
      entry: 'orders/on-saga-message',
      subscribesTo: [orderEvents, ...Object.values(sagaReplies)],
      maxConcurrency: sagaConcurrency,
    });
    service.grantEffect(saga, ORDER);
    const reviewRunner = service.addInbox('Judgements', {
      name: 'orders-reviews',
      entry: 'orders/on-user-status-changed',
      subscribesTo: [statusChanges],
      ...toInboxOptions(props.settings.inboxes),
      timeout: Duration.minutes(5),
    });
    service.grantEffect(reviewRunner, ORDER);
    reviewRunner.grantItems(table, ['Query', 'DeleteItem'], REVIEWS);
    reviewRunner.grantItems(table, ['PutItem'], USER_COPIES);
    // An order may be rejected or cancelled while it is under review.
    saga.grantItems(table, ['DeleteItem'], REVIEWS);
    // All of them start reviews.
    for (const handler of [saga, reviewRunner, dispatchOrder]) {
      handler.grantItems(table, ['PutItem'], REVIEWS);
      handler.grantItems(table, ['GetItem', 'ConditionCheckItem'], USER_COPIES);
      // A review counts the user's orders in an hour.
      handler.grantItems(table, ['Query'], CUSTOMER_LISTS);
      service.grantPointer(handler);
      // It compares the order's address with the one in the profile.
      props.personalKeys.grantDecrypt(handler);
      handler.setEnvironment(OrdersEnv.REVIEW_RULES, JSON.stringify(props.settings.reviewRules));
    }
    const reviewOrder = service.addEndpoint('ReviewOrder', routes.reviewOrder, 'orders/review-order');
    service.grantAppend(reviewOrder, ORDER);
    reviewOrder.grantItems(table, ['DeleteItem'], REVIEWS);
    props.personalKeys.grantEncrypt(reviewOrder);

    const users = service.addConsumer('Users', {
      name: 'orders-users',
      entry: 'orders/on-user-change',
      subscribesTo: [userChanges, payerChanges],
    });
    users.grantItems(table, ['GetItem', 'PutItem', 'ConditionCheckItem'], USER_COPIES);

    const commands = service.addConsumer('Commands', {
      name: 'orders-commands',
      entry: 'orders/on-command',
      subscribesTo: [checkoutCommands],
    });
    service.grantEffect(commands, ORDER);
    this.admitOrders(commands, props.settings);

    if (props.settings.syntheticOrder) {
      new CfnOutput(this, SYNTHETIC_OUTPUT, {
        value: props.settings.syntheticOrder.customerId,
        description: 'customer of the synthetic orders, which operators leave out',
      });
    }

    const rebuild = service.addProjection('ListProjection', {
      name: ORDERS_LIST,
      entry: 'orders/list-projection',
      rebuildEntry: 'orders/rebuild-list',
      subscribesTo: listEvents,
      aggregate: ORDER,
      rows: CUSTOMER_LISTS,
      fair: false,
    });
    if (props.settings.userStatuses !== 'apart') {
      for (const handler of [users, reviewRunner]) handler.grantItems(table, ['PutItem'], CUSTOMER_LISTS);
      for (const handler of [users, reviewRunner, rebuild])
        handler.setEnvironment(OrdersEnv.USER_STATUSES, props.settings.userStatuses);
    }
  }

  /** Lets a function read a customer's status and recent orders, and apply the limits of orders. */
  private admitOrders(handler: ServiceFunction, { userStatuses, customerLimits }: Settings): void {
    const { table } = this.service;
    handler.grantItems(table, ['Query'], CUSTOMER_LISTS);
    // If all of the newest orders are under way, it reads on in the version of the list that is read.
    this.service.grantPointer(handler);
    if (userStatuses !== 'listed') handler.grantItems(table, ['GetItem'], USER_COPIES);
    if (userStatuses !== 'apart') handler.setEnvironment(OrdersEnv.USER_STATUSES, userStatuses);
    handler.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(customerLimits));
  }
}
