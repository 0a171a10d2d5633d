import {
  type CommandContext,
  type Commit,
  OperatorError,
  parseIdTime,
  RequestRefused,
  readCommitsAt,
  readFeed,
  type Service,
} from '@orderly/operator';

/** A commit's ids and its place in the feed are made within this time, and clocks of functions differ by less. */
const SEARCH_MARGIN_MS = 5_000;
/** Time in which the first commit of a request comes: longer than an API's answer takes. */
const MAX_REQUEST_MS = 35_000;

type Context = Pick<CommandContext, 'documents' | 'clock' | 'stacks' | 'services'>;

/** A commit, and the service that made it. */
export interface FoundCommit {
  readonly service: Service;
  readonly commit: Commit;
}

/** How far and how much is searched, and how its caller says so. */
export interface Search {
  /** Milliseconds for which an id without a time is searched. */
  readonly back: number;
  /** Commits that are read at most, of all services. */
  readonly most: number;
  /** Names the time that is searched: `in the last hour`. */
  readonly where: string;
  /** Says what to do if there are more commits, after `name an order or an event, or`. */
  readonly narrower: string;
}

/**
 * Finds the commits that contain a message, or that have a correlation id. A UUIDv7 contains its time, so only the feed of
 * that moment is read. Of any other correlation id the time is unknown: the feed is read as far back as the search says.
 * @throws {OperatorError} `not-found`
 * @throws {RequestRefused} if too many commits would have to be read
 */
export async function findCommits(
  context: Context,
  id: string,
  search: Search,
): Promise<{ readonly by: 'message' | 'correlation'; readonly commits: readonly FoundCommit[] }> {
  const made = parseIdTime(id);
  const now = Date.parse(context.clock.now());
  const time =
    made === undefined
      ? { from: now - search.back, to: now }
      : { from: made - SEARCH_MARGIN_MS, to: made + MAX_REQUEST_MS };
  const all = await searchCommits(context, time, search);
  const withMessage = all.filter(({ commit: { events, commands = [] } }) =>
    [...events, ...commands].some((message) => message.id === id),
  );
  if (withMessage.length > 0) return { by: 'message', commits: withMessage };
  const correlated = all.filter(({ commit }) => commit.correlationId === id);
  if (correlated.length > 0) return { by: 'correlation', commits: correlated };
  const where = made === undefined ? search.where : `around ${new Date(made).toISOString()}`;
  throw new OperatorError('not-found', `No order, event, command or correlation id '${id}' was found ${where}.`, [
    'trace',
    '--help',
  ]);
}

/** Reads the commits of all services: first their keys, as far as there are not too many. @throws {RequestRefused} */
async function searchCommits(
  context: Context,
  time: { readonly from: number; readonly to: number },
  { most, narrower }: Search,
): Promise<readonly FoundCommit[]> {
  let keys = 0;
  const countKeys = (more: number): void => {
    keys += more;
    if (keys <= most) return;
    const message = `There are more than ${most} commits in that time: name an order or an event, or ${narrower}.`;
    throw new RequestRefused(message, ['trace', '--help']);
  };
  const found = await Promise.all(
    context.services.map(async (service) => ({ service, entries: await readFeed(context, service, time, countKeys) })),
  );
  const read = found.map(async ({ service, entries }) =>
    (await readCommitsAt(context, service, entries)).commits.map((commit) => ({ service, commit })),
  );
  return (await Promise.all(read)).flat();
}
