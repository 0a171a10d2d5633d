import type { ConsoleFacts } from '../server/contract.js';
import type { History } from './history.js';
import type { Subject } from './marks.js';

/** Where the items and log lines behind a mark are read: in a local cloud, or by the operator's command line. */
export type RecordSource = 'local' | 'commands';

/** Returns where the records of an environment are read; nothing if only an operator's API answers. */
export const recordSourceOf = ({ local, runsCommands }: ConsoleFacts): RecordSource | undefined =>
  local ? 'local' : runsCommands ? 'commands' : undefined;

/** Messages of one question. */
const MOST = 20;

/**
 * Returns the path of what is stored of a mark's messages. A local cloud looks at all that it has. The command line reads by keys, so that it is asked
 * for the consumer, for the time of the attempt, and for what its effect committed.
 * @returns `undefined` for a mark without a message
 */
export function pathOfStored(subject: Subject, history: History, source: RecordSource): string | undefined {
  const attempts = subject.kind === 'attempt' ? subject.attempts : [];
  const deliveries = subject.kind === 'waiting' ? [subject.delivery] : attempts.map(({ delivery }) => delivery);
  const commits = subject.kind === 'commit' ? subject.commits : [];
  const own = [
    ...deliveries.map(({ eventId }) => eventId),
    ...commits.flatMap(({ messages }) => messages.map(({ id }) => id)),
  ];
  if (own.length === 0) return undefined;
  if (source === 'local') {
    const owner = deliveries[0]?.owner;
    const ids = [...new Set(own)].slice(0, MOST).join(',');
    return `/_local/stored?${new URLSearchParams({ ids, ...(owner !== undefined && { owner }) })}`;
  }
  const effects = history.commits.filter((commit) =>
    deliveries.some(({ eventId, service }) => commit.trigger === eventId && commit.service === service),
  );
  const [first = '', ...others] = [
    ...new Set([...own, ...effects.flatMap(({ messages }) => messages.map(({ id }) => id))]),
  ].slice(0, MOST);
  const [consumer, another] = [...new Set(deliveries.map((delivery) => delivery.consumer))];
  const at = attempts.find(({ attempt }) => attempt.isEstimated === undefined)?.attempt.at;
  const query = new URLSearchParams({
    ...(others.length > 0 && { with: others.join(',') }),
    ...(consumer !== undefined && another === undefined && { consumer }),
    ...(at !== undefined && { at: new Date(at).toISOString() }),
  });
  return `/_console/read/stored/${first}?${query}`;
}
