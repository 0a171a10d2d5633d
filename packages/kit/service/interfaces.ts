import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/**
 * CDK's interfaces for what was made here or elsewhere, as strict TypeScript needs them: with `exactOptionalPropertyTypes` the
 * classes aren't assignable to their own interfaces, since an optional member of theirs may be `undefined`.
 */

/** Any table: `new TableV2(...)`, `TableV2.fromTableName(...)`, and the same of `Table`. */
export type AnyTable = Omit<ITable, 'tableStreamArn' | 'encryptionKey'> & { readonly encryptionKey?: IKey | undefined };

/** Any bus: `new EventBus(...)`, `EventBus.fromEventBusName(...)`. */
export type AnyBus = Omit<IEventBus, 'eventSourceName'>;
