import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { accountsContract } from '../../../lambdas/accounts/contract.js';
import { catalogContract } from '../../../lambdas/catalog/contract.js';
import { inventoryContract } from '../../../lambdas/inventory/contract.js';
import { CREATE_ORDER_SAGA, ordersContract } from '../../../lambdas/orders/contract.js';
import { createOrderContract } from '../../../lambdas/orders/saga-contract.js';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { StripeCustomers } from '../../../lambdas/payments/provider/stripe-customers.js';
import { type Commit, firstVersionOf } from '../messages/commit.js';
import { PEOPLE_INDEX, readEvent, type ServiceContract } from '../messages/contract.js';
import { aggregateKey } from '../messages/keys.js';
import { openEvents } from '../personal-data/personal-fields.js';
import type { PersonalKeys } from '../personal-data/personal-keys.js';
import { readCommits } from './commits.js';
import { Exit, OperatorError } from './errors.js';
import type { Outcome } from './outcome.js';
import { type KeysOfPeople, readPerson } from './people.js';
import type { Service } from './services.js';
import { command } from './text.js';

/** Source of a person's data in one service. */
interface Source {
  readonly contract: ServiceContract;
  /**
   * Returns the keys of the person's aggregates: derived from their id, from their orders' ids, or read from the
   * service's index and list.
   */
  readonly keys: (asked: Asked) => Promise<readonly string[]>;
}
interface Asked {
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
  readonly person: string;
  /** Ids of the person's orders. */
  readonly orders: readonly string[];
}

/** Every service that stores data about a person, by their id or by their orders' ids. */
const SOURCES: readonly Source[] = [
  { contract: ordersContract, keys: async ({ orders }) => orders.map((id) => aggregateKey('Order', id)) },
  {
    contract: createOrderContract,
    keys: async ({ orders }) => orders.map((id) => aggregateKey(CREATE_ORDER_SAGA, id)),
  },
  {
    contract: inventoryContract,
    keys: async ({ orders }) => orders.map((id) => aggregateKey('Reservation', id)),
  },
  { contract: catalogContract, keys: async ({ orders }) => orders.map((id) => aggregateKey('PriceCheck', id)) },
  { contract: accountsContract, keys: async ({ person }) => [aggregateKey('Account', person)] },
  { contract: paymentsContract, keys: indexed },
];

function indexed({ documents, table, person }: Omit<Asked, 'orders'>): Promise<readonly string[]> {
  return valuesOf(documents, { TableName: table, IndexName: PEOPLE_INDEX, name: 'person', value: person }, 'pk');
}

async function ordersOf(asked: Omit<Asked, 'orders'>): Promise<readonly string[]> {
  const { documents, table, person } = asked;
  const [withPersonalData, listed] = await Promise.all([
    indexed(asked),
    // Orders without personal data are in no index, but in their customer's list (lambdas/orders/order-list.ts).
    valuesOf(documents, { TableName: table, name: 'pk', value: `CUSTOMER#${person}` }, 'sk'),
  ]);
  return [...new Set([...withPersonalData, ...listed].map((key) => key.slice(key.lastIndexOf('#') + 1)))];
}

/**
 * `orderly person export <id>`: prints all data about a person as JSON. Personal data is in plain text, or marked as
 * forgotten. Eventually consistent: data that was written in the last second may be missing.
 * @throws {OperatorError} `not-found`, `usage` for an invalid id
 */
export async function exportPerson(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  keys: { readonly places: Pick<KeysOfPeople, 'table'>; readonly open: PersonalKeys },
  person: string,
): Promise<Outcome> {
  const { state, ...more } = await readPerson(documents, keys.places, person);
  const table = (service: string) => services.find(({ name }) => name === service)?.table;
  const orders = table(ordersContract.service);
  const asked = { documents, person, orders: orders ? await ordersOf({ documents, table: orders, person }) : [] };
  const aggregates = await Promise.all(
    SOURCES.map((source) => {
      const own = table(source.contract.service);
      return own ? aggregatesIn(source, { ...asked, table: own }, keys.open) : [];
    }),
  ).then((found) => found.flat());
  const payments = table(paymentsContract.service);
  const stripeCustomer = payments ? await new StripeCustomers(payments, documents).of(person) : undefined;
  if (state === 'has no key' && aggregates.length === 0 && stripeCustomer === undefined) {
    throw new OperatorError(
      'not-found',
      `Nothing is known of a person '${person}'.`,
      command('person', 'export', 'alice'),
    );
  }
  const json = { person, personalData: { state, ...more }, aggregates, ...(stripeCustomer && { stripeCustomer }) };
  return { exitCode: Exit.OK, text: JSON.stringify(json, undefined, 2), json };
}

async function aggregatesIn({ contract, keys }: Source, asked: Asked, open: PersonalKeys) {
  const found = [];
  for (const key of new Set(await keys(asked))) {
    const commits = await readCommits(asked.documents, asked, key);
    const events = commits.flatMap((commit) => eventsOf(contract, commit));
    const opened = await openEvents(open, contract, key, events).catch(refused(key));
    if (opened.length > 0) found.push({ service: contract.service, subject: key.replace('#', '/'), events: opened });
  }
  return found;
}

/** Prints names only, because another library's error message may contain personal data. */
const refused = (key: string) => (error: unknown) => {
  const name = error instanceof Error ? error.name : 'unknown';
  throw new OperatorError('refused', `The personal data in ${key} can't be opened (${name}).`, undefined, {
    cause: error,
  });
};

const eventsOf = (contract: ServiceContract, commit: Commit) =>
  commit.events.map(({ id, type, schemaVersion, data }, at) => ({
    id,
    version: firstVersionOf(commit) + at,
    type,
    at: commit.at,
    actor: commit.actor,
    ...(commit.onBehalfOf === undefined ? {} : { onBehalfOf: commit.onBehalfOf }),
    correlationId: commit.correlationId,
    causationId: commit.trigger,
    data: readEvent(contract, type, schemaVersion, JSON.parse(data)).data as unknown,
  }));

async function valuesOf(
  documents: DynamoDBDocumentClient,
  { name, value, ...where }: { readonly TableName: string; readonly IndexName?: string; name: string; value: string },
  attribute: string,
): Promise<readonly string[]> {
  const pages = paginateQuery(
    { client: documents },
    {
      ...where,
      KeyConditionExpression: '#name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    },
  );
  const values: string[] = [];
  for await (const { Items = [] } of pages) values.push(...Items.map((item) => String(item[attribute])));
  return values;
}
