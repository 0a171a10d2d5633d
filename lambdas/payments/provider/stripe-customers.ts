import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documents } from '../../../packages/kit/aws/dynamodb.js';
import { WriteConflict } from '../../../packages/kit/http/errors.js';
import { STRIPE_CUSTOMERS } from '../contract.js';

const keyOf = (accountId: string) => ({ pk: `${STRIPE_CUSTOMERS}${accountId}`, sk: 'CUSTOMER' });

/**
 * The Stripe customer of each account, kept in the service's own table so that a charge needs no search at Stripe.
 * It is a hint: Stripe decides at each charge whether the customer is still the account's (`stripe-provider.ts`).
 */
export class StripeCustomers {
  constructor(
    private readonly table: string,
    private readonly client: DynamoDBDocumentClient = documents,
  ) {}

  /** Reads the customer of an account, strongly consistent; nothing where none was found yet. */
  async of(accountId: string): Promise<string | undefined> {
    const { Item } = await this.client.send(
      new GetCommand({ TableName: this.table, Key: keyOf(accountId), ConsistentRead: true }),
    );
    return Item?.customer;
  }

  /**
   * Keeps the customer that was found for an account, in the place of the one that was read before.
   *
   * Two deliveries may find two customers, where the second one became known to Stripe's search in between. The first
   * one that is kept counts, so that an account is charged on one customer at a time:
   *
   *     one delivery                       another one
   *     of -> nothing
   *                                        of -> nothing
   *     finds cus_1
   *                                        finds cus_2
   *     keep cus_1
   *                                        keep cus_2 -> refused; tried again, of -> cus_1
   *
   * @param before what `of` said
   * @throws {WriteConflict} another delivery has kept another customer since: nothing is charged, and a later try reads it
   */
  async keep(accountId: string, customer: string, before: string | undefined): Promise<void> {
    // The customer itself stands there where the answer to this put was lost and the SDK has sent it again.
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

  /** Deletes what is kept of an account. Repeatable. */
  async forget(accountId: string): Promise<void> {
    await this.client.send(new DeleteCommand({ TableName: this.table, Key: keyOf(accountId) }));
  }
}
