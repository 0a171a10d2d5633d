import { type Commit, firstVersionOf } from '@orderly/kit/internal/messages/commit.js';
import { readEvent, type ServiceContract } from '@orderly/kit/internal/messages/contract.js';
import { openEvents } from '@orderly/kit/internal/personal-data/open-fields.js';
import type { PersonalKeys } from '@orderly/kit/internal/personal-data/personal-keys.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { readCommits } from '../records/commits.js';
import {
  type DataContext,
  findPersonalKeyLocation,
  type PersonAggregates,
  type PersonalDataSource,
  readPerson,
} from './personal-data.js';

/**
 * `person export <id>`: prints all data about a person as JSON. Personal data is in plain text, or marked as forgotten.
 * Eventually consistent: data that was written in the last second may be missing.
 * @param keys people's keys
 * @throws {OperatorError} `not-found`, `usage` for an invalid id
 */
export async function exportPerson(
  context: Pick<CommandContext, 'documents' | 'services' | 'stacks' | 'environment'>,
  people: PersonalDataSource,
  keys: PersonalKeys,
  { person }: { readonly person: string },
): Promise<Outcome> {
  const open = keys.forRequest();
  const { state, ...rest } = await readPerson(context.documents, findPersonalKeyLocation(context).table, person);
  const known = await people.aggregates(context, person);
  const aggregates = (await Promise.all(known.map((one) => exportHistories(context, one, open)))).flat();
  const more = (await people.exportMore?.(context, person, open)) ?? {};
  if (state === 'has no key' && aggregates.length === 0 && Object.keys(more).length === 0) {
    throw new OperatorError('not-found', `Nothing is known of a person '${person}'.`, ['person', 'export', 'alice']);
  }
  const json = { person, personalData: { state, ...rest }, aggregates, ...more };
  return { exitCode: Exit.OK, text: JSON.stringify(json, undefined, 2), json };
}

async function exportHistories(
  { documents, services }: DataContext,
  { contract, keys }: PersonAggregates,
  open: PersonalKeys,
) {
  const service = services.find(({ name }) => name === contract.service);
  if (!service) return [];
  const found = [];
  for (const key of new Set(keys)) {
    const commits = await readCommits(documents, service, key);
    const events = commits.flatMap((commit) => exportEvents(contract, commit));
    const opened = await openEvents(open, contract, key, events).catch(unsealFailure(key));
    if (opened.length > 0) found.push({ service: contract.service, subject: key.replace('#', '/'), events: opened });
  }
  return found;
}
/** Prints names only, because another library's error message may contain personal data. */
const unsealFailure = (key: string) => (error: unknown) => {
  const name = error instanceof Error ? error.name : 'unknown';
  throw new OperatorError('refused', `The personal data in ${key} can't be opened (${name}).`, undefined, {
    cause: error,
  });
};

const exportEvents = (contract: ServiceContract, commit: Commit) =>
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
