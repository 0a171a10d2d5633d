import { type Envelope, messageIdOf } from '../messages/envelope.js';

/** Requests that one transaction decides at most. With two writes each and the shared one, it has 61 of 100 items. */
export const MAX_ROUND_SIZE = 30;

/** Part of a request that rounds are made by. */
interface RoundMember {
  readonly message: Pick<Envelope, 'id' | 'source' | 'to' | 'subject'>;
}

/**
 * Divides requests into rounds, first come, first served. A round has at most 30, and none of them twice. Two messages
 * about one subject are in different rounds, because a transaction can't write an aggregate twice.
 */
export function splitIntoRounds<Request extends RoundMember>(
  requests: readonly Request[],
): readonly (readonly Request[])[] {
  const rounds: Request[][] = [];
  const next = new Map<string, number>();
  const ids = new Set<string>();
  for (const request of requests) {
    const { subject } = request.message;
    const id = messageIdOf(request.message);
    if (ids.has(id)) continue;
    ids.add(id);
    let at = next.get(subject) ?? 0;
    while ((rounds[at]?.length ?? 0) >= MAX_ROUND_SIZE) at++;
    if (at === rounds.length) rounds.push([]);
    rounds[at]?.push(request);
    next.set(subject, at + 1);
  }
  return rounds;
}

/** Divides a round that can't be decided as a whole, to find the request that is at fault. */
export const splitInHalf = <Request>(round: readonly Request[]): readonly (readonly Request[])[] => {
  const middle = Math.ceil(round.length / 2);
  return [round.slice(0, middle), round.slice(middle)];
};
