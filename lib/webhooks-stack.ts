import type { PersonalKeys } from '@orderly/kit/constructs';
import {
  alarm,
  type EnvironmentProps,
  metricsNamespace,
  Service,
  type ServiceFunction,
  sequential,
  serviceMetric,
  single,
  stackProps,
  WEBHOOK_RETRIES,
} from '@orderly/kit/constructs';
import { aggregateKeyPrefix } from '@orderly/kit/messages';
import { Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { webhooksContract } from '../lambdas/webhooks/contract.js';
import {
  DELIVERIES,
  FORGOTTEN,
  ORDER_CUSTOMERS,
  SUBSCRIBERS,
  WEBHOOK,
  WEBHOOK_DELIVERY,
  WEBHOOK_FEED,
} from '../lambdas/webhooks/keys.js';
import { WebhooksMetric } from '../lambdas/webhooks/metrics.js';
import * as routes from '../lambdas/webhooks/routes.js';
import { dueDeliveries, orderEvents, orderedDeliveries, userErasures } from '../lambdas/webhooks/subscriptions.js';
import { toInboxOptions } from './inbox-settings.js';
import type { Settings } from './settings.js';
import { setSyntheticCustomer } from './synthetic-order-settings.js';

/** An attempt waits 10 s for its receiver, and enters what became of it. */
const ATTEMPT_TIMEOUT = Duration.seconds(30);

export interface WebhooksStackProps extends EnvironmentProps {
  readonly settings: Settings;
  readonly personalKeys: PersonalKeys;
}

/** Service `webhooks`: events of orders are sent to receivers that shops and operators have named. */
export class WebhooksStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: WebhooksStackProps) {
    const name = webhooksContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const { settings, personalKeys } = props;
    const service = new Service(this, 'Default', {
      ...props,
      name,
      contracts: [webhooksContract, dueDeliveries.contract, orderedDeliveries.contract],
    });
    this.service = service;
    this.addEndpoints(personalKeys);
    this.addFanOut(settings);
    this.addForgetting(personalKeys);
    const common = { ...WEBHOOK_RETRIES, timeout: ATTEMPT_TIMEOUT };
    const sending = service.addInbox('Deliveries', {
      ...common,
      name: 'webhooks-deliveries',
      entry: 'webhooks/deliver',
      subscribesTo: [dueDeliveries],
      mode: single(),
    });
    const sendingInOrder = service.addInbox('OrderedDeliveries', {
      ...common,
      name: 'webhooks-ordered',
      entry: 'webhooks/deliver-in-order',
      subscribesTo: [orderedDeliveries],
      mode: sequential(),
    });
    for (const handler of [sending, sendingInOrder]) this.grantSending(handler, personalKeys);
    alarm(service, 'WebhookDisabled', {
      metric: serviceMetric(metricsNamespace(settings), name, WebhooksMetric.DISABLED),
      threshold: 1,
      means: 'a webhook was disabled: its receiver answered 410, or nothing came through for three days.',
      severity: 'ticket',
      topic: props.alarmTopic,
    });
  }

  private addEndpoints(personalKeys: PersonalKeys): void {
    const { service } = this;
    const { table } = service;
    const register = service.addEndpoint('Register', routes.registerWebhook, 'webhooks/register-webhook');
    service.grantAppend(register, WEBHOOK);
    register.grantItems(table, ['Query', 'PutItem'], SUBSCRIBERS);
    register.grantItems(table, ['ConditionCheckItem'], FORGOTTEN);
    personalKeys.grantEncrypt(register);
    const list = service.addEndpoint('List', routes.listWebhooks, 'webhooks/list-webhooks');
    list.grantItems(table, ['Query'], SUBSCRIBERS);
    const get = service.addEndpoint('Get', routes.getWebhook, 'webhooks/get-webhook');
    service.grantLoad(get, WEBHOOK);

    const remove = service.addEndpoint('Delete', routes.deleteWebhook, 'webhooks/delete-webhook');
    const rotate = service.addEndpoint('RotateSecret', routes.rotateWebhookSecret, 'webhooks/rotate-secret');
    const enable = service.addEndpoint('Enable', routes.enableWebhook, 'webhooks/enable-webhook');
    for (const handler of [remove, rotate, enable]) {
      service.grantEffect(handler, WEBHOOK);
      service.grantRequestRecords(handler);
      handler.grantItems(table, ['PutItem', ...(handler === remove ? (['DeleteItem'] as const) : [])], SUBSCRIBERS);
    }
    personalKeys.grantErase(remove);
    personalKeys.grantEncrypt(rotate);
    // They show the address of the receiver, which is sealed beside the secrets.
    for (const handler of [list, get, enable]) personalKeys.grantDecrypt(handler);

    const sent = service.addEndpoint('ListDeliveries', routes.listDeliveries, 'webhooks/list-deliveries');
    service.grantLoad(sent, WEBHOOK);
    sent.grantItems(table, ['Query'], DELIVERIES);
    const redeliver = service.addEndpoint('Redeliver', routes.redeliver, 'webhooks/redeliver');
    service.grantLoad(redeliver, WEBHOOK);
    service.grantEffect(redeliver, WEBHOOK_DELIVERY);
    service.grantRequestRecords(redeliver);
    redeliver.grantItems(table, ['GetItem', 'UpdateItem'], DELIVERIES);
  }

  private addFanOut(settings: Settings): void {
    const { service } = this;
    const { table } = service;
    const fanOut = service.addInbox('OrderEvents', {
      name: 'webhooks-orders',
      entry: 'webhooks/on-order-event',
      subscribesTo: [orderEvents],
      mode: sequential(),
      ...toInboxOptions(settings.inboxes),
    });
    service.grantAppend(fanOut, WEBHOOK_FEED);
    fanOut.grantItems(table, ['PutItem'], aggregateKeyPrefix(WEBHOOK_DELIVERY), DELIVERIES);
    fanOut.grantItems(table, ['Query'], SUBSCRIBERS);
    fanOut.grantItems(table, ['GetItem', 'PutItem'], ORDER_CUSTOMERS);
    setSyntheticCustomer(fanOut, settings);
  }

  private addForgetting(personalKeys: PersonalKeys): void {
    const { service } = this;
    const forgetting = service.addConsumer('Forgettings', {
      name: 'webhooks-users',
      entry: 'webhooks/on-user-event',
      subscribesTo: [userErasures],
    });
    service.grantEffect(forgetting, WEBHOOK);
    forgetting.grantItems(service.table, ['Query', 'PutItem'], SUBSCRIBERS);
    forgetting.grantItems(service.table, ['PutItem'], FORGOTTEN);
    personalKeys.grantErase(forgetting);
  }

  private grantSending(handler: ServiceFunction, personalKeys: PersonalKeys): void {
    const { service } = this;
    service.grantEffect(handler, WEBHOOK);
    handler.grantItems(service.table, ['GetItem', 'UpdateItem'], DELIVERIES);
    handler.grantItems(service.table, ['PutItem'], SUBSCRIBERS);
    personalKeys.grantDecrypt(handler);
  }
}
