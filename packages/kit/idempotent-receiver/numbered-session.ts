import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { expiryOf } from '../aws/dedupe-window.js';
import { documents, ItemExists, putNew } from '../aws/dynamodb.js';
import { newId } from '../aws/ids.js';
import { describeError, logger } from '../aws/telemetry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { Problem } from '../http/errors.js';
import { SESSIONS } from './contract.js';
import { hashOf, type KeyedRequest, refuseUnlessUnderWay, requestHashesOf } from './idempotency-key.js';
import type { Earlier, RecordsTable, RequestRecord } from './request-record.js';

/** Seconds after the client's last access after which a session accepts no more requests (1 h). */
export const SESSION_IDLE_SECONDS = 3600;
/** Number of requests that may be unanswered at once. */
export const REQUESTS_AT_ONCE = 10;

/**
 * A session, as the records table stores it. It contains its answers, so one write can advance the session, add an
 * answer and remove others.
 */
interface Session {
  /**
   * End of the session in epoch seconds, unless a request is accepted or repeated before: the client's last access, and
   * {@link SESSION_IDLE_SECONDS}. It never decreases. It is not `expiresAt`, because DynamoDB deletes expired items days late.
   */
  readonly idleUntil: number;
  /** Number up to which the client has received all answers. These answers are removed. */
  readonly answeredUpTo: number;
  /** Answers by request number. */
  readonly answers: Readonly<Record<string, Earlier>>;
}

/**
 * Returns the key of a session. It contains the client, so another client's session looks like one that does not exist.
 * The session id itself is not stored.
 */
const keyOf = (client: string, sessionId: string) => ({ pk: SESSIONS + hashOf([client, sessionId]) });

const prefixOf = ({ service }: RecordsTable): string => `${service}_`;

/**
 * Returns the end of a session that its client accesses now, and the end of its item.
 * @param known end that is stored. A function whose clock is slow, or that read it a moment ago, does not move it back.
 */
const endsOf = ({ windowSeconds }: RecordsTable, known = 0) => {
  const idleUntil = Math.max(known, clock.epochSeconds() + SESSION_IDLE_SECONDS);
  // The item outlives the session's end, so a repeat of an accepted request is answered for the whole window.
  return { idleUntil, expiresAt: expiryOf(windowSeconds, idleUntil) };
};

/** Reads a session, strongly consistent. */
async function sessionAt(TableName: string, Key: ReturnType<typeof keyOf>): Promise<Session | undefined> {
  const { Item } = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item as Session | undefined;
}

const timeOf = (epochSeconds: number): string => new Date(epochSeconds * 1000).toISOString();

/** Opens a session of one client at one service. */
export async function openSession(
  client: string,
  records: RecordsTable,
): Promise<{ readonly sessionId: string; readonly expiresAt: string }> {
  const sessionId = prefixOf(records) + newId();
  const ends = endsOf(records);
  const session: Session = { idleUntil: ends.idleUntil, answeredUpTo: 0, answers: {} };
  try {
    const Item = { ...keyOf(client, sessionId), ...session, expiresAt: ends.expiresAt };
    await putNew({ TableName: records.table, Item });
  } catch (error) {
    // The id was created just now. So the existing item is this very session, and the SDK missed the first answer.
    if (!(error instanceof ItemExists)) throw error;
  }
  return { sessionId, expiresAt: timeOf(ends.idleUntil) };
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
export async function sessionTimes(
  client: string,
  sessionId: string,
  { table }: Pick<RecordsTable, 'table'>,
): Promise<SessionTimes | undefined> {
  const session = await sessionAt(table, keyOf(client, sessionId));
  if (!session) return undefined;
  return { lastAccessAt: timeOf(session.idleUntil - SESSION_IDLE_SECONDS), expiresAt: timeOf(session.idleUntil) };
}

/**
 * Creates the record of request `n` of a session. The request commits together with the session's own item. That write
 * stores the answer, removes the answers that the client has received, and is refused if the session has ended or has
 * advanced beyond `n`.
 *
 *     request 4, and then its late repeat          request 6, answered up to 5
 *     session: answered up to 3, has no 4
 *     transact: effect, answer 4
 *                                                  transact: effect, answer 6, up to 5, answer 4 is gone
 *     session: answered up to 5: refused
 *
 * @throws {Problem} 400 if a header is malformed
 */
export function numberedRequest(request: KeyedRequest, records: RecordsTable): RequestRecord {
  const { client, session: headers } = request;
  const sessionId = visible(headers?.id);
  const number = numberIn('Request-Number', headers?.number, 1);
  const answered = headers?.answeredUpTo;
  const toldUpTo = answered === undefined ? number - 1 : numberIn('Answered-Up-To', answered, 0);
  const { requestHash, formerHash } = requestHashesOf(sessionId, request);
  const Key = keyOf(client, sessionId);

  const answerIn = (session: Session | undefined): Earlier | undefined =>
    session && number > session.answeredUpTo ? session.answers[number] : undefined;

  /**
   * Checks that a session accepts this request.
   * @returns the session, and the number up to which its client has the answers
   * @throws {Problem} 409 if the session is not open or the number is out of range; `in-progress` in the minute after its end
   */
  const admitted = (session: Session | undefined): { readonly session: Session; readonly upTo: number } => {
    if (!session || session.idleUntil <= clock.epochSeconds()) {
      if (session) refuseUnlessUnderWay(clock.epochSeconds() - session.idleUntil);
      const isOurs = sessionId.startsWith(prefixOf(records));
      const what = isOurs ? 'there is no open session of yours by this id' : 'this session is not of this service';
      throw new Problem('session-not-open', `${what}: open a new one by POST ${records.sessionsPath}`);
    }
    const upTo = Math.max(session.answeredUpTo, toldUpTo);
    if (number <= upTo) {
      throw new Problem('number-out-of-range', `all requests up to ${upTo} were answered: take the next number`);
    }
    const last = upTo + REQUESTS_AT_ONCE;
    if (number > last) {
      throw new Problem('number-out-of-range', `take a number up to ${last}, or confirm answers with Answered-Up-To`);
    }
    return { session, upTo };
  };

  const read = () => sessionAt(records.table, Key);

  return {
    scope: hashOf([client, 'session', sessionId, number]),
    requestHash,
    formerHash,
    refuseReused,
    find: async () => answerIn(await read()),
    async claim(trigger) {
      const { session, upTo } = admitted(await read());
      return (version, state) =>
        accepted(session, upTo, { version, requestHash, trigger, ...(state ? { state } : {}) });
    },
    earlier(found) {
      const session = found as Session | undefined;
      const answer = answerIn(session);
      if (answer) return answer;
      admitted(session);
      throw new WriteConflict('another request of the session was accepted or repeated');
    },
    repeated,
  };

  /** Returns the write of the session's item after this request. Its condition repeats what `admitted` checked. */
  function accepted(session: Session, upTo: number, answer: Earlier) {
    const { answers, answeredUpTo } = session;
    const gone = Object.keys(answers).filter((one) => Number(one) <= upTo);
    const { idleUntil, expiresAt } = endsOf(records, session.idleUntil);
    // False if the item does not exist, so no request creates a session.
    const isOpen = 'idleUntil > :now';
    // Otherwise a repeat that was answered since the session was read would not count as an access (see `repeated`).
    const isNotEarlier = 'idleUntil <= :idleUntil';
    // Otherwise the write would move the session back, and a number whose answer was removed would be accepted again.
    const hasNotMovedOn = 'answeredUpTo = :seen';
    const isNew = 'attribute_not_exists(answers.#number)';
    return {
      Update: {
        TableName: records.table,
        Key,
        UpdateExpression: `SET answers.#number = :answer, answeredUpTo = :upTo, idleUntil = :idleUntil, expiresAt = :expiresAt${
          gone.length > 0 ? ` REMOVE ${gone.map((_, at) => `answers.#gone${at}`).join(', ')}` : ''
        }`,
        ConditionExpression: `${isOpen} AND ${isNotEarlier} AND ${hasNotMovedOn} AND ${isNew}`,
        ExpressionAttributeNames: {
          '#number': String(number),
          ...Object.fromEntries(gone.map((one, at) => [`#gone${at}`, one])),
        },
        ExpressionAttributeValues: {
          ':now': clock.epochSeconds(),
          ':seen': answeredUpTo,
          ':answer': answer,
          ':upTo': upTo,
          ':idleUntil': idleUntil,
          ':expiresAt': expiresAt,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      },
    };
  }

  /**
   * Stores the client's access by a repeat: one conditional write that changes the session's end alone. It is made before the
   * repeat is answered, and never refuses the answer.
   *
   *     repeat of 3                       request 4
   *                                       reads: open until 13:00
   *     12:50: open until 13:50
   *                                       commits until 13:49: refused (`isNotEarlier`), reads again, commits until 13:50
   *
   * Where the two meet in DynamoDB, one of them is refused: request 4 tries again; the repeat does not, as request 4 is an
   * access itself.
   *
   *     open until 13:00
   *     12:59:59: repeat of 3, its write is under way
   *                                       13:00:05: request 4: 409 in-progress
   *     13:00:06: open until 13:59:59
   *                                       13:00:59: request 4: accepted
   *
   * A repeat at 13:00 or later is answered and does not open the session again. A write of before 13:00 arrives in the minute
   * in which a new request is not refused for good (`refuseUnlessUnderWay`).
   */
  async function repeated(): Promise<void> {
    const { idleUntil, expiresAt } = endsOf(records);
    const isOpen = 'idleUntil > :now';
    const isLater = 'idleUntil < :idleUntil';
    try {
      await documents.send(
        new UpdateCommand({
          TableName: records.table,
          Key,
          UpdateExpression: 'SET idleUntil = :idleUntil, expiresAt = :expiresAt',
          ConditionExpression: `${isOpen} AND ${isLater}`,
          ExpressionAttributeValues: {
            ':now': clock.epochSeconds(),
            ':idleUntil': idleUntil,
            ':expiresAt': expiresAt,
          },
        }),
      );
    } catch (error) {
      const isExpected = [ConditionalCheckFailedException, TransactionConflictException].some(
        (one) => error instanceof one,
      );
      if (!isExpected) logger.warn('an access to a session was not stored', describeError(error));
    }
  }
}

function refuseReused(): never {
  throw new Problem('key-reused', 'this Request-Number was used with another request: take the next number');
}

function visible(sessionId: string | undefined): string {
  if (sessionId !== undefined && /^[\x21-\x7e]{1,255}$/.test(sessionId)) return sessionId;
  throw malformed('Session-Id', 'expected the sessionId of an open session');
}

function numberIn(header: string, text: string | undefined, least: 0 | 1): number {
  if (text !== undefined && /^(0|[1-9]\d{0,11})$/.test(text) && Number(text) >= least) return Number(text);
  throw malformed(header, `expected a whole number from ${least}`);
}

const malformed = (header: string, detail: string): Problem =>
  new Problem('invalid-request', `missing or malformed ${header}`, { errors: [{ header, detail }] });
