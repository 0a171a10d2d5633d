import { Annotations, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/**
 * CDK's interfaces for what was made here or elsewhere, as strict TypeScript needs them: with `exactOptionalPropertyTypes` the
 * classes aren't assignable to their own interfaces, since an optional member of theirs may be `undefined`.
 */

/** Any table: `new TableV2(...)`, `TableV2.fromTableName(...)`, and the same of `Table`. */
export type AnyTable = Omit<ITable, 'tableStreamArn' | 'encryptionKey'> & { readonly encryptionKey?: IKey | undefined };

/** Any bus: `new EventBus(...)`, `EventBus.fromEventBusName(...)`. */
export type AnyBus = Omit<IEventBus, 'eventSourceName'>;

/**
 * Refuses a bus of another account or region. EventBridge keeps a rule where its bus is, and CloudFormation creates it
 * where the stack is; a relay publishes by the bus's name, in its own account.
 */
export function refuseForeignBus(scope: Construct, { env, eventBusName }: AnyBus): void {
  const { account, region } = Stack.of(scope);
  const isElsewhere = [Token.compareStrings(env.account, account), Token.compareStrings(env.region, region)].includes(
    TokenComparison.DIFFERENT,
  );
  if (!isElsewhere) return;
  Annotations.of(scope).addError(
    `bus '${eventBusName}' is in account ${env.account}, region ${env.region}: expected a bus of this stack's own account and region`,
  );
}
