import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { clock, documentClient, type TransactWriteItem, WriteConflict } from '@orderly/kit/aws';
import { STRIPE_CUSTOMERS } from '../contract.js';

const keyOf = (accountId: string) => ({ pk: `${STRIPE_CUSTOMERS}${accountId}`, sk: 'CUSTOMER' });

/**
 * Stripe customers by account, stored in the service's own table so that a charge needs no search at Stripe. An entry
 * is a hint: each charge asks Stripe whether the customer still belongs to the account (`stripe-provider.ts`).
 */
export class StripeCustomers {
  constructor(
    private readonly table: string,
    private readonly client: DynamoDBDocumentClient = documentClient,
  ) {}

  /** Reads the customer of an account, strongly consistent; `undefined` if none was found yet. */
  async find(accountId: string): Promise<string | undefined> {
    const { Item } = await this.client.send(
      new GetCommand({ TableName: this.table, Key: keyOf(accountId), ConsistentRead: true }),
    );
    return Item?.customer;
  }

  /**
   * Stores the customer that was found for an account, and replaces the one that was read before.
   *
   * Two deliveries may find two customers, if the second one became visible to Stripe's search in between. The first
   * one that is stored counts, so that an account is charged on one customer at a time:
   *
   *     one delivery                       another one
   *     of -> undefined
   *                                        of -> undefined
   *     finds cus_1
   *                                        finds cus_2
   *     keep cus_1
   *                                        keep cus_2 -> refused; retries, of -> cus_1
   *
   * @param before the result of `of`
   * @throws {WriteConflict} another delivery has stored another customer since: nothing is charged, and a retry reads
   *   it
   */
  async store(accountId: string, customer: string, before: string | undefined): Promise<void> {
    // The customer itself is stored there if the answer to this put was lost and the SDK has sent it again.
    const isAsReadOrDone = 'attribute_not_exists(pk) OR customer IN (:before, :customer)';
    try {
      await this.client.send(
        new PutCommand({
          TableName: this.table,
          Item: { ...keyOf(accountId), customer, foundAt: clock.now() },
          ConditionExpression: isAsReadOrDone,
          ExpressionAttributeValues: { ':before': before ?? customer, ':customer': customer },
        }),
      );
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) throw new WriteConflict('put', { cause: error });
      throw error;
    }
  }

  /** Deletes the entry of an account. Repeatable. */
  async forget(accountId: string): Promise<void> {
    await this.client.send(new DeleteCommand({ TableName: this.table, Key: keyOf(accountId) }));
  }

  /** Returns the write that deletes the entry of an account. Repeatable. */
  forgetWrite(accountId: string): TransactWriteItem {
    return { Delete: { TableName: this.table, Key: keyOf(accountId) } };
  }
}
