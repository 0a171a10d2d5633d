import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { computeExpiry } from '../aws/dedupe-window.js';
import { documentClient, ItemExists, putNew } from '../aws/dynamodb.js';
import { newId } from '../aws/ids.js';
import { SESSIONS } from './contract.js';
import { computeHash } from './idempotency-key.js';
import type { EarlierRequest, RecordsTable } from './request-record.js';

/** Seconds after the client's last access after which a session accepts no more requests (1 h). */
export const SESSION_IDLE_SECONDS = 3600;

/**
 * A session, as the records table stores it. It contains its answers, so one write can advance the session, add an
 * answer and remove others.
 */
export interface Session {
  /**
   * End of the session in epoch seconds, unless a request is accepted or repeated before: the client's last access, and
   * {@link SESSION_IDLE_SECONDS}. It never decreases. It is not `expiresAt`, because DynamoDB deletes expired items days late.
   */
  readonly idleUntil: number;
  /** Number up to which the client has received all answers. These answers are removed. */
  readonly answeredUpTo: number;
  /** Answers by request number. */
  readonly answers: Readonly<Record<string, EarlierRequest>>;
}

/**
 * Returns the key of a session. It contains the client, so another client's session looks like one that does not exist.
 * The session id itself is not stored.
 */
export const keyOf = (client: string, sessionId: string) => ({ pk: SESSIONS + computeHash([client, sessionId]) });

export const prefixOf = ({ service }: RecordsTable): string => `${service}_`;

/**
 * Returns the end of a session that its client accesses now, and the end of its item.
 * @param known end that is stored. A function whose clock is slow, or that read it a moment ago, does not move it back.
 */
export const computeEnds = ({ windowSeconds }: RecordsTable, known = 0) => {
  const idleUntil = Math.max(known, clock.epochSeconds() + SESSION_IDLE_SECONDS);
  // The item outlives the session's end, so a repeat of an accepted request is answered for the whole window.
  return { idleUntil, expiresAt: computeExpiry(windowSeconds, idleUntil) };
};

/** Reads a session, strongly consistent. */
export async function readSession(TableName: string, Key: ReturnType<typeof keyOf>): Promise<Session | undefined> {
  const { Item } = await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item as Session | undefined;
}

const toIsoTime = (epochSeconds: number): string => new Date(epochSeconds * 1000).toISOString();

/** Opens a session of one client at one service. */
export async function openSession(
  client: string,
  records: RecordsTable,
): Promise<{ readonly sessionId: string; readonly expiresAt: string }> {
  const sessionId = prefixOf(records) + newId();
  const ends = computeEnds(records);
  const session: Session = { idleUntil: ends.idleUntil, answeredUpTo: 0, answers: {} };
  try {
    const Item = { ...keyOf(client, sessionId), ...session, expiresAt: ends.expiresAt };
    await putNew({ TableName: records.table, Item });
  } catch (error) {
    // The id was created just now. So the existing item is this very session, and the SDK missed the first answer.
    if (!(error instanceof ItemExists)) throw error;
  }
  return { sessionId, expiresAt: toIsoTime(ends.idleUntil) };
}

/** When a client last accessed a session, and when the session ends without another access. Times are ISO 8601, UTC. */
export interface SessionTimes {
  readonly lastAccessAt: string;
  /** It is in the past if the session has ended. */
  readonly expiresAt: string;
}

/**
 * Reads the times of a client's session. To read them is no access.
 * @returns `undefined` if the client has no such session at this service
 */
export async function readSessionTimes(
  client: string,
  sessionId: string,
  { table }: Pick<RecordsTable, 'table'>,
): Promise<SessionTimes | undefined> {
  const session = await readSession(table, keyOf(client, sessionId));
  if (!session) return undefined;
  return { lastAccessAt: toIsoTime(session.idleUntil - SESSION_IDLE_SECONDS), expiresAt: toIsoTime(session.idleUntil) };
}
