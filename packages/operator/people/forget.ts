import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { personKey } from '@orderly/kit/internal/personal-data/person-key.js';
import { KEY_CACHE_SECONDS } from '@orderly/kit/internal/personal-data/personal-keys.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { findPersonalKeyLocation, type PersonalDataSource, readPerson } from './personal-data.js';

export interface ForgetRequest {
  readonly person: string;
  readonly dryRun: boolean;
}

/**
 * `person forget <id>`: replaces the person's data key by a tombstone, forever (crypto-shredding). All data that was
 * sealed with the key becomes unreadable, wherever copies are: tables, bus archive, queues, backups. It is
 * irreversible. The outcome says from when on nothing is read or stored, and how long a function may hold the key in memory.
 *
 * A person without a key gets a tombstone too, so that a late message creates no key.
 * @throws {OperatorError} `usage` for an invalid id
 */
export async function forgetPerson(
  context: Pick<CommandContext, 'documents' | 'services' | 'stacks' | 'environment' | 'actor' | 'clock'>,
  people: Pick<PersonalDataSource, 'forget'>,
  { person, dryRun }: ForgetRequest,
): Promise<Outcome> {
  const { documents } = context;
  const { table } = findPersonalKeyLocation(context);
  const before = await readPerson(documents, table, person);
  const erase = async (id: string) => {
    await putTombstone(context, table, id);
  };
  if (!dryRun) await people.forget?.(context, person, erase);
  if (before.state === 'forgotten') return forgottenBefore(person, before);
  const key = before.state === 'has a key' ? `key of ${before.createdAt}` : 'no key';
  if (dryRun) return outcome(person, 'dry-run', `would be forgotten, for ever (${key})`);
  const forgottenAt = await putTombstone(context, table, person);
  if (forgottenAt === undefined) return outcome(person, 'forgotten-before', 'was forgotten at this moment');
  const keysInMemoryUntil = new Date(Date.parse(forgottenAt) + KEY_CACHE_SECONDS * 1000).toISOString();
  const detail = [
    `forgotten (${key})`,
    'from now on, no request reads or stores personal data of this person',
    `until ${keysInMemoryUntil} functions may hold the key in memory, but do not use it`,
  ].join('; ');
  return outcome(person, 'forgotten', detail, { forgottenAt, keysInMemoryUntil });
}

/** Replaces a key by a tombstone. @returns its time; nothing if there was one before */
async function putTombstone(
  { documents, actor, clock }: Pick<CommandContext, 'documents' | 'actor' | 'clock'>,
  TableName: string,
  id: string,
): Promise<string | undefined> {
  const forgottenBy = await actor();
  const forgottenAt = clock.now();
  // The first tombstone stays unchanged, because it shows the time of the erasure.
  const isNotForgotten = 'attribute_not_exists(forgottenAt)';
  const Item = { ...personKey(id), forgottenAt, forgottenBy };
  try {
    await documents.send(new PutCommand({ TableName, Item, ConditionExpression: isNotForgotten }));
    return forgottenAt;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

const forgottenBefore = (
  person: string,
  { forgottenAt, forgottenBy }: { readonly forgottenAt: string; readonly forgottenBy: string },
): Outcome => outcome(person, 'forgotten-before', `was forgotten at ${forgottenAt} by ${forgottenBy}`, { forgottenAt });

/** Times of an erasure: ISO 8601, UTC. */
interface Times {
  /** Time of the tombstone. */
  readonly forgottenAt: string;
  /** Functions may hold the key in memory until then, without using it. */
  readonly keysInMemoryUntil?: string;
}

const outcome = (
  person: string,
  result: 'forgotten' | 'forgotten-before' | 'dry-run',
  detail: string,
  times?: Times,
): Outcome => ({
  exitCode: Exit.OK,
  text: `person ${person}: ${detail}`,
  json: { forget: { person, result, detail, ...times } },
});
