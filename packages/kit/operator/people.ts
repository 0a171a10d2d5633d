import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfig, type Endpoint } from '../../../tools/local/endpoint.js';
import { CallerId } from '../http/auth.js';
import { PersonalKeys, personKey } from '../personal-data/personal-keys.js';
import { OperatorError } from './errors.js';
import { PROGRAM } from './text.js';

/** Location of the customers' data keys, from the outputs of the platform's stack. */
export interface KeysOfPeople {
  readonly table: string;
  /** ARN of the KMS key that wraps the data keys. */
  readonly kmsKey: string;
}

/** @throws {OperatorError} `not-found` */
export async function findKeysOfPeople(endpoint: Endpoint, environment: string): Promise<KeysOfPeople> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: `orderly-${environment}-Platform` }));
    const output = (key: string) => Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    const [table, kmsKey] = [output('PersonalKeysName'), output('PersonalDataKeyArn')];
    if (table && kmsKey) return { table, kmsKey };
  } finally {
    client.destroy();
  }
  throw new OperatorError('not-found', `'${environment}' was deployed by another release: it keeps no keys of people.`);
}

/** Opens the data keys to unseal data, with the operator's permissions. */
export const openKeys = (
  { table, kmsKey }: KeysOfPeople,
  documents: DynamoDBDocumentClient,
  endpoint: Endpoint,
): PersonalKeys => new PersonalKeys({ table, kmsKey, documents, kms: new KMSClient(clientConfig(endpoint)) });

/** The table's entry for a person. */
export type PersonState =
  | { readonly state: 'has a key'; readonly createdAt: string }
  | { readonly state: 'forgotten'; readonly forgottenAt: string; readonly forgottenBy: string }
  | { readonly state: 'has no key' };

/** Reads a person's entry, strongly consistent. @throws {OperatorError} `usage` for an invalid id */
export async function readPerson(
  documents: DynamoDBDocumentClient,
  { table }: Pick<KeysOfPeople, 'table'>,
  person: string,
): Promise<PersonState> {
  if (!CallerId.safeParse(person).success) {
    throw new OperatorError(
      'usage',
      'A person is named by the id in their token: 1 to 128 characters, no e-mail address.',
      `${PROGRAM} --help`,
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
