import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { StripeCustomers } from '../../../lambdas/payments/provider/stripe-customers.js';
import { clock } from '../aws/clock.js';
import { personKey } from '../personal-data/personal-keys.js';
import { Exit } from './errors.js';
import type { Outcome } from './outcome.js';
import { type KeysOfPeople, readPerson } from './people.js';
import { user } from './user.js';

/** Places in which the person is forgotten. */
export interface Places extends Pick<KeysOfPeople, 'table'> {
  /** Table of the payments service, which stores the person's customer id at Stripe; absent if it isn't deployed. */
  readonly payments: string | undefined;
}

export interface ForgetRequest {
  readonly person: string;
  readonly dryRun: boolean;
}

/**
 * `orderly person forget <id>`: replaces the person's data key by a tombstone, forever (crypto-shredding). All data
 * that was sealed with the key becomes unreadable, wherever copies are: tables, bus archive, queues, backups. It is
 * irreversible.
 *
 * A person without a key gets a tombstone too, so that a late message creates no key. The command also deletes the
 * person's customer id at Stripe; a later payment finds the id again, unless it was deleted at Stripe.
 * @throws {OperatorError} `usage` for an invalid id
 */
export async function forget(
  documents: DynamoDBDocumentClient,
  places: Places,
  { person, dryRun }: ForgetRequest,
): Promise<Outcome> {
  const before = await readPerson(documents, places, person);
  // This includes a person who was forgotten before: a run may have ended in between, and a payment may have found the
  // id again.
  if (places.payments && !dryRun) await new StripeCustomers(places.payments, documents).forget(person);
  if (before.state === 'forgotten') {
    return outcome(person, 'forgotten-before', `was forgotten at ${before.forgottenAt} by ${before.forgottenBy}`);
  }
  const key = before.state === 'has a key' ? `key of ${before.createdAt}` : 'no key';
  if (dryRun) return outcome(person, 'dry-run', `would be forgotten, for ever (${key})`);
  // The first tombstone stays unchanged, because it shows the time of the erasure.
  const isNotForgotten = 'attribute_not_exists(forgottenAt)';
  try {
    await documents.send(
      new PutCommand({
        TableName: places.table,
        Item: { ...personKey(person), forgottenAt: clock.now(), forgottenBy: user() },
        ConditionExpression: isNotForgotten,
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return outcome(person, 'forgotten-before', 'was forgotten at this moment');
  }
  return outcome(person, 'forgotten', `forgotten (${key}); functions that hold the key read for up to 5 minutes more`);
}

const outcome = (person: string, result: 'forgotten' | 'forgotten-before' | 'dry-run', detail: string): Outcome => ({
  exitCode: Exit.OK,
  text: `person ${person}: ${detail}`,
  json: { forget: { person, result, detail } },
});
