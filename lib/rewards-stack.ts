import { type EnvironmentProps, Service, sequential, stackProps } from '@orderly/kit/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { rewardsContract } from '../lambdas/rewards/contract.js';
import { RewardsEnv } from '../lambdas/rewards/environment.js';
import { REWARDS } from '../lambdas/rewards/keys.js';
import * as routes from '../lambdas/rewards/routes.js';
import { accountEvents } from '../lambdas/rewards/subscriptions.js';
import { toInboxOptions } from './inbox-settings.js';
import type { Settings } from './settings.js';
import { setSyntheticCustomer } from './synthetic-order-settings.js';

export interface RewardsStackProps extends EnvironmentProps {
  readonly settings: Settings;
}

/** Service `rewards`: points and tiers of customers, counted from the events of their accounts. */
export class RewardsStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: RewardsStackProps) {
    const name = rewardsContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;

    const counting = service.addInbox('AccountEvents', {
      name: 'rewards-accounts',
      entry: 'rewards/on-account-event',
      subscribesTo: [accountEvents],
      fair: false,
      mode: sequential(),
      ...toInboxOptions(props.settings.inboxes),
    });
    counting.grantItems(table, ['GetItem', 'Query', 'PutItem'], REWARDS);
    setSyntheticCustomer(counting, props.settings);
    const getMine = service.addEndpoint('GetMyRewards', routes.getMyRewards, 'rewards/get-my-rewards');
    const get = service.addEndpoint('GetRewards', routes.getRewards, 'rewards/get-rewards');
    for (const handler of [getMine, get]) handler.grantItems(table, ['GetItem', 'Query'], REWARDS);
    for (const handler of [counting, getMine, get]) {
      handler.setEnvironment(RewardsEnv.REWARD_TIERS, JSON.stringify(props.settings.rewardTiers));
    }
  }
}
