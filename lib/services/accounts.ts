import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { Env } from '../../lambdas/platform/environment.js';
import { accountsContract, EXHAUSTED_INDEX } from '../../lambdas/services/accounts/contract.js';
import { ServiceStack, type ServiceStackProps } from './service-stack.js';

const ACCOUNTS = 'Account#';
const ROWS = 'CREDIT#';
const EXHAUSTED = 'EXHAUSTED#';

/** Accounts: what each customer may owe, and what is held and taken of it for orders, by the commands of their sagas. */
export class AccountsStack extends ServiceStack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
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

    this.endpoint(
      'SetCreditLimit',
      'PUT',
      '/accounts/{customerId}/credit-limit',
      'services/accounts/set-credit-limit',
    ).allowItems(table, ['Query', 'PutItem'], ACCOUNTS);
    this.endpoint('GetAccount', 'GET', '/accounts/{customerId}', 'services/accounts/get-account').allowItems(
      table,
      ['Query'],
      ACCOUNTS,
    );
    this.endpoint('ListAccounts', 'GET', '/accounts', 'services/accounts/list-accounts').allowIndex(
      table,
      EXHAUSTED_INDEX,
      EXHAUSTED,
    );

    const commands = this.consumer('Commands', {
      name: 'accounts-commands',
      entry: 'services/accounts/on-command',
      events: [{ commandsOf: accountsContract }],
    });
    commands.allowItems(table, ['Query', 'GetItem', 'PutItem'], ACCOUNTS);
    commands.setEnvironment(Env.DEFAULT_CREDIT_LIMIT, JSON.stringify(props.settings.defaultCreditLimit));

    const exhaustedProjection = this.consumer('ExhaustedProjection', {
      name: 'accounts-exhausted',
      entry: 'services/accounts/exhausted-projection',
      projection: true,
      events: [{ contract: accountsContract, types: Object.keys(accountsContract.events) }],
    });
    exhaustedProjection.allowItems(table, ['Query'], ACCOUNTS);
    exhaustedProjection.allowItems(table, ['PutItem'], ROWS);
  }
}
