import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { accountsContract, EXHAUSTED_INDEX } from '../lambdas/accounts/contract.js';
import { AccountsEnv } from '../lambdas/accounts/environment.js';
import { ACCOUNT, CREDIT_ROWS, EXHAUSTED_LISTS } from '../lambdas/accounts/keys.js';
import { listEvents, orderEnds, steps } from '../lambdas/accounts/subscriptions.js';
import { AppEnv } from '../lambdas/environment.js';
import { keysOf } from '../packages/kit/messages/keys.js';
import { ServiceStack, type ServiceStackProps } from '../packages/kit/service/service-stack.js';
import type { Settings } from './settings.js';

export interface AccountsStackProps extends ServiceStackProps {
  readonly settings: Settings;
}

/**
 * Accounts: what each customer may owe, and what is held and taken of it for orders, by the commands of their sagas and by
 * their ends.
 */
export class AccountsStack extends ServiceStack {
  constructor(scope: Construct, id: string, props: AccountsStackProps) {
    super(scope, id, accountsContract.service, props);
    const { table } = this;
    // Sparse: an item without `exhaustedPk` isn't in it.
    table.addGlobalSecondaryIndex({
      indexName: EXHAUSTED_INDEX,
      partitionKey: { name: 'exhaustedPk', type: AttributeType.STRING },
      sortKey: { name: 'exhaustedSk', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['account'],
    });

    const setCreditLimit = this.endpoint(
      'SetCreditLimit',
      'PUT',
      '/accounts/{customerId}/credit-limit',
      'accounts/set-credit-limit',
    );
    this.grantAppend(setCreditLimit, ACCOUNT);
    const getAccount = this.endpoint('GetAccount', 'GET', '/accounts/{customerId}', 'accounts/get-account');
    this.grantLoad(getAccount, ACCOUNT);
    const history = this.endpoint(
      'AccountHistory',
      'GET',
      '/accounts/{customerId}/history',
      'accounts/account-history',
    );
    this.grantLoad(history, ACCOUNT);
    const listAccounts = this.endpoint('ListAccounts', 'GET', '/accounts', 'accounts/list-accounts');
    listAccounts.grantIndex(table, EXHAUSTED_INDEX, ...EXHAUSTED_LISTS);
    this.grantPointer(listAccounts);

    const commands = this.consumer('Commands', {
      name: 'accounts-commands',
      entry: 'accounts/on-command',
      hears: [steps],
    });
    const ends = this.consumer('OrderEnds', {
      name: 'accounts-orders',
      entry: 'accounts/on-order-event',
      hears: [orderEnds],
    });
    for (const handler of [commands, ends]) {
      this.grantAppend(handler, ACCOUNT);
      // An authorization has an item of its own beside the account.
      handler.grantItems(table, ['GetItem'], keysOf(ACCOUNT));
      handler.setEnvironment(AccountsEnv.DEFAULT_CREDIT_LIMIT, JSON.stringify(props.settings.defaultCreditLimit));
      handler.setEnvironment(AppEnv.CUSTOMER_LIMITS, JSON.stringify(props.settings.customerLimits));
    }

    this.projection('ExhaustedProjection', {
      name: 'accounts-exhausted',
      entry: 'accounts/exhausted-projection',
      rebuildEntry: 'accounts/rebuild-exhausted',
      hears: listEvents,
      aggregate: ACCOUNT,
      rows: CREDIT_ROWS,
    });
  }
}
