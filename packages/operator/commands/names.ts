import type { CommandContext } from '../cli/context.js';
import { listListeners } from '../deployment/services.js';
import { findCauses } from '../groups/causes.js';
import { readFailureGroups } from '../groups/failures.js';
import { shortenId } from '../records/list-format.js';

type Context = Pick<CommandContext, 'app' | 'documents' | 'services'>;

/** Names what a command takes as its first word only. */
const first = (words: readonly string[], names: readonly string[]): readonly string[] =>
  words.length === 0 ? [...new Set(names)] : [];

/** Finds the consumers of an environment. */
export const findConsumers = async ({ services }: Context, words: readonly string[]): Promise<readonly string[]> =>
  first(
    words,
    services.flatMap(({ consumers }) => consumers.map(({ name }) => name)),
  );

/** Finds the consumers of an environment, and `relay`, which stands for all relays. */
export const findListenerNames = async ({ services }: Context, words: readonly string[]): Promise<readonly string[]> =>
  first(
    words,
    listListeners(services).map(({ name }) => name),
  );

/** Finds the causes of failures, as short as commands take them. */
export const findCauseIds = async (context: Context, words: readonly string[]): Promise<readonly string[]> =>
  first(words, shorten(findCauses(await readFailureGroups(context))));

/** Finds the groups of failures, as short as commands take them. */
export const findGroupIds = async (context: Context, words: readonly string[]): Promise<readonly string[]> =>
  first(words, shorten(await readFailureGroups(context)));

function shorten(all: readonly { readonly id: string }[]): readonly string[] {
  const ids = all.map(({ id }) => id);
  return ids.map((id) => shortenId(id, ids));
}
