import { KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { PEOPLE_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import { Output } from '@orderly/kit/internal/base/outputs.js';
import { CallerId } from '@orderly/kit/internal/http/caller-id.js';
import type { ServiceContract } from '@orderly/kit/internal/messages/contract.js';
import { personKey } from '@orderly/kit/internal/personal-data/person-key.js';
import { PersonalKeys } from '@orderly/kit/internal/personal-data/personal-keys.js';
import type { CommandContext } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import { clientConfig } from '../deployment/endpoint.js';
import type { Service } from '../deployment/services.js';

/** Location of people's data keys. */
interface KeysOfPeople {
  readonly table: string;
  /** ARN of the KMS key that wraps the data keys. */
  readonly kmsKey: string;
}

/** @throws {OperatorError} `not-found` if no stack has them */
export function findPersonalKeyLocation({
  stacks,
  environment,
}: Pick<CommandContext, 'stacks' | 'environment'>): KeysOfPeople {
  for (const outputs of Object.values(stacks)) {
    const ending = (name: string) => Object.entries(outputs).find(([key]) => key.endsWith(name))?.[1];
    const [table, kmsKey] = [ending(Output.PERSONAL_KEYS), ending(Output.PERSONAL_DATA_KEY)];
    if (table && kmsKey) return { table, kmsKey };
  }
  throw new OperatorError(
    'not-found',
    `'${environment}' has no table of people's keys: deploy a release that has one, or use the command line of the release that deployed it.`,
  );
}

/** Opens the data keys to unseal data, with the operator's permissions. */
export const openPersonalKeys = (
  context: Pick<CommandContext, 'stacks' | 'environment' | 'endpoint' | 'documents'>,
): PersonalKeys =>
  new PersonalKeys({
    ...findPersonalKeyLocation(context),
    documents: context.documents,
    kms: new KMSClient(clientConfig(context.endpoint)),
  });

/** Where an application has data about people, beside the keys. */
export interface PersonalDataSource {
  /**
   * Deletes data about the person that is not sealed by their key. It is called for a person who was forgotten before
   * too, because a run may have ended in between: it must be repeatable.
   * @param erase deletes a key of another id, under which data of this person is sealed
   */
  readonly forget?: (context: DataContext, person: string, erase: (id: string) => Promise<void>) => Promise<void>;
  /** Returns the aggregates that have events about the person. */
  readonly aggregates: (context: DataContext, person: string) => Promise<readonly PersonAggregates[]>;
  /**
   * Returns further data for an export, such as the state of aggregates whose commits expire; no fields if there is none.
   * @param keys opens sealed data
   */
  readonly exportMore?: (
    context: DataContext,
    person: string,
    keys: PersonalKeys,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

/** Tables of an environment. */
export type DataContext = Pick<CommandContext, 'documents' | 'services'>;

/** Aggregates of one contract. A service that is not deployed is left out. */
export interface PersonAggregates {
  readonly contract: ServiceContract;
  /** Partition keys: `Order#3f…`. */
  readonly keys: readonly string[];
}

/** Returns the keys of a service's aggregates whose commits are about a person, eventually consistent. */
export async function findKeysByPerson(
  { documents }: Pick<DataContext, 'documents'>,
  { table }: Pick<Service, 'table'>,
  person: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: table,
      IndexName: PEOPLE_INDEX,
      KeyConditionExpression: 'person = :person',
      ExpressionAttributeValues: { ':person': person },
    },
  );
  for await (const { Items = [] } of pages) keys.push(...Items.map(({ pk }) => String(pk)));
  return keys;
}

/** The table's entry for a person. */
type PersonState =
  | { readonly state: 'has a key'; readonly createdAt: string }
  | { readonly state: 'forgotten'; readonly forgottenAt: string; readonly forgottenBy: string }
  | { readonly state: 'has no key' };

/** Reads a person's entry in the table of keys, strongly consistent. @throws {OperatorError} `usage` for an invalid id */
export async function readPerson(
  documents: DynamoDBDocumentClient,
  table: string,
  person: string,
): Promise<PersonState> {
  if (!CallerId.safeParse(person).success) {
    throw new OperatorError(
      'usage',
      'A person is named by the id in their token: 1 to 128 characters, no e-mail address.',
      ['--help'],
    );
  }
  const { Item } = await documents.send(
    new GetCommand({ TableName: table, Key: personKey(person), ConsistentRead: true }),
  );
  if (!Item) return { state: 'has no key' };
  const { createdAt, forgottenAt, forgottenBy } = Item;
  if (forgottenAt === undefined) return { state: 'has a key', createdAt };
  return { state: 'forgotten', forgottenAt, forgottenBy };
}
