import {
  type CommandContext,
  type Commit,
  OperatorError,
  RequestRefused,
  readCommitsAt,
  readFeed,
  type Service,
  timeAt,
  timeOfId,
} from '@orderly/kit/operator';

/** A commit's ids and its place in the feed are made within this time, and clocks of functions differ by less. */
const AROUND = 5_000;
/** Time in which the first commit of a request comes: longer than an API's answer takes. */
const REQUEST_LASTS = 35_000;

type Context = Pick<CommandContext, 'documents' | 'endpoint' | 'stacks' | 'services'>;

/** A commit, and the service that made it. */
export interface FoundCommit {
  readonly service: Service;
  readonly commit: Commit;
}

/** Commits of a time that are read at most. */
const MOST_COMMITS = 5_000;

/**
 * Finds the commits that contain a message, or that have a correlation id. A UUIDv7 contains its time, so only the feed of
 * that moment is read. Of any other correlation id the time is unknown: the feed back to `since` is read.
 * @param since milliseconds since 1970
 * @throws {OperatorError} `not-found`; `refused` if too many commits would have to be read
 */
export async function findCommits(
  context: Context,
  id: string,
  since: number,
): Promise<{ readonly by: 'message' | 'correlation'; readonly commits: readonly FoundCommit[] }> {
  const made = timeOfId(id);
  const time =
    made === undefined
      ? { from: since, to: Date.parse(timeAt(context.endpoint)) }
      : { from: made - AROUND, to: made + REQUEST_LASTS };
  const all = (await Promise.all(context.services.map((service) => commitsOf(context, service, time)))).flat();
  const withMessage = all.filter(({ commit: { events, commands = [] } }) =>
    [...events, ...commands].some((message) => message.id === id),
  );
  if (withMessage.length > 0) return { by: 'message', commits: withMessage };
  const correlated = all.filter(({ commit }) => commit.correlationId === id);
  if (correlated.length > 0) return { by: 'correlation', commits: correlated };
  const where = made === undefined ? 'since the time of --since' : `around ${new Date(made).toISOString()}`;
  throw new OperatorError('not-found', `No order, event, command or correlation id '${id}' was found ${where}.`, [
    'trace',
    '--help',
  ]);
}

/** @throws {RequestRefused} */
async function commitsOf(
  context: Context,
  service: Service,
  time: { readonly from: number; readonly to: number },
): Promise<readonly FoundCommit[]> {
  const entries = await readFeed(context, service, time);
  if (entries.length > MOST_COMMITS) {
    const message = `${service.name} has ${entries.length} commits in that time: name an order or an event, or a shorter --since.`;
    throw new RequestRefused(message, ['trace', '--help']);
  }
  return (await readCommitsAt(context, service, entries)).map((commit) => ({ service, commit }));
}
