import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';

/** An item as the document client reads and writes it. */
export type Item = Record<string, unknown>;

/** One write of a transaction: exactly one of Put, Update, Delete, ConditionCheck. */
export type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
