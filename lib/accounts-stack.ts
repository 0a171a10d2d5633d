import type { PersonalKeys } from '@orderly/kit/constructs';
import { addPeopleIndex, type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { aggregateKeyPrefix } from '@orderly/kit/messages';
import { Stack } from 'aws-cdk-lib';
import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { accountsContract, EXHAUSTED_INDEX } from '../lambdas/accounts/contract.js';
import { AccountsEnv } from '../lambdas/accounts/environment.js';
import { ACCOUNT, CREDIT_ROWS, EXHAUSTED_LISTS, EXHAUSTED_PROJECTION } from '../lambdas/accounts/keys.js';
import * as routes from '../lambdas/accounts/routes.js';
import {
  exhaustionEvents,
  listEvents,
  orderEnds,
  paymentEvents,
  returnEvents,
  stepCommands,
} from '../lambdas/accounts/subscriptions.js';
import { AppEnv } from '../lambdas/environment.js';
import type { Settings } from './settings.js';

export interface AccountsStackProps extends EnvironmentProps {
  readonly settings: Settings;
  readonly personalKeys: PersonalKeys;
}

/**
 * Service `accounts`: the credit of each customer, and the amounts that orders have authorised and captured. It handles the
 * commands of orders' sagas, the ends of orders, and the charges and refunds of their payments.
 */
export class AccountsStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: AccountsStackProps) {
    const name = accountsContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;
    // Sparse: only items with `exhaustedPk` are in it.
    table.addGlobalSecondaryIndex({
      indexName: EXHAUSTED_INDEX,
      partitionKey: { name: 'exhaustedPk', type: AttributeType.STRING },
      sortKey: { name: 'exhaustedSk', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['account'],
    });
    addPeopleIndex(table);

    const setCreditLimit = service.addEndpoint('SetCreditLimit', routes.setCreditLimit, 'accounts/set-credit-limit');
    service.grantAppend(setCreditLimit, ACCOUNT);
    const setStatus = service.addEndpoint('SetAccountStatus', routes.setAccountStatus, 'accounts/set-status');
    service.grantAppend(setStatus, ACCOUNT);
    props.personalKeys.grantEncrypt(setStatus);
    const applyBonus = service.addEndpoint('ApplyBonus', routes.applyBonus, 'accounts/apply-bonus');
    service.grantAppend(applyBonus, ACCOUNT);
    service.grantRequestRecords(applyBonus);
    props.personalKeys.grantEncrypt(applyBonus);
    const getAccount = service.addEndpoint('GetAccount', routes.getAccount, 'accounts/get-account');
    service.grantLoad(getAccount, ACCOUNT);
    const history = service.addEndpoint('AccountHistory', routes.accountHistory, 'accounts/account-history');
    service.grantLoad(history, ACCOUNT);
    props.personalKeys.grantDecrypt(history);
    const listAccounts = service.addEndpoint('ListAccounts', routes.listAccounts, 'accounts/list-accounts');
    listAccounts.grantIndex(table, EXHAUSTED_INDEX, ...EXHAUSTED_LISTS);
    service.grantPointer(listAccounts);

    const { exhaustedAccounts, settlements } = props.settings;
    const settling = settlements === 'approval' ? returnEvents : paymentEvents;
    const { handlers, writer } = service.addSharedLane('Accounts', {
      name,
      laneEntry: 'accounts/on-lane',
      hotKeys: props.settings.hotCustomers,
      consumers: {
        Commands: { name: 'accounts-commands', entry: 'accounts/on-command', subscribesTo: [stepCommands] },
        OrderEnds: { name: 'accounts-orders', entry: 'accounts/on-order-event', subscribesTo: [orderEnds] },
        Settlements: { name: 'accounts-payments', entry: 'accounts/on-payment-event', subscribesTo: [settling] },
      },
    });
    for (const handler of [handlers.Commands, handlers.OrderEnds]) service.grantAppend(handler, ACCOUNT);
    // A charge that settles nothing checks that its order is unchanged.
    for (const handler of [handlers.Settlements, writer]) service.grantEffect(handler, ACCOUNT);
    const deciding = [...Object.values(handlers), writer];
    for (const handler of deciding) {
      // Each authorization is an item of its own in the account's partition.
      handler.grantItems(table, ['BatchGetItem'], aggregateKeyPrefix(ACCOUNT));
      handler.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(props.settings.customerLimits));
      handler.setEnvironment(AccountsEnv.SETTLES_APPROVED, String(settlements !== 'charge'));
    }

    for (const handler of [setCreditLimit, setStatus, applyBonus, ...deciding]) {
      handler.setEnvironment(AccountsEnv.TELLS_EXHAUSTION, String(exhaustedAccounts !== 'read'));
    }
    for (const handler of [setStatus, applyBonus, ...deciding]) {
      handler.setEnvironment(AccountsEnv.DEFAULT_CREDIT_LIMIT, JSON.stringify(props.settings.defaultCreditLimit));
    }

    service.addProjection('ExhaustedProjection', {
      name: EXHAUSTED_PROJECTION,
      entry: 'accounts/exhausted-projection',
      rebuildEntry: 'accounts/rebuild-exhausted',
      subscribesTo: exhaustedAccounts === 'heard' ? exhaustionEvents : listEvents,
      aggregate: ACCOUNT,
      rows: CREDIT_ROWS,
      fair: false,
    });
  }
}
