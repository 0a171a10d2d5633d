import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient } from '../aws/dynamodb.js';
import { describeError, logger } from '../aws/telemetry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { Problem } from '../http/errors.js';
import { computeHash, computeRequestHashes, type KeyedRequest, refuseUnlessUnderWay } from './idempotency-key.js';
import type { EarlierRequest, RecordsTable, RequestRecord } from './request-record.js';
import { computeEnds, keyOf, prefixOf, readSession, type Session } from './session.js';

/** Number of requests that may be unanswered at once. */
export const MAX_OPEN_REQUESTS = 10;

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
export function createNumberedRecord(request: KeyedRequest, records: RecordsTable): RequestRecord {
  const { client, session: headers } = request;
  const sessionId = checkSessionId(headers?.id);
  const number = parseNumber('Request-Number', headers?.number, 1);
  const answered = headers?.answeredUpTo;
  const toldUpTo = answered === undefined ? number - 1 : parseNumber('Answered-Up-To', answered, 0);
  const { requestHash, formerHash } = computeRequestHashes(sessionId, request);
  const Key = keyOf(client, sessionId);

  const findAnswer = (session: Session | undefined): EarlierRequest | undefined =>
    session && number > session.answeredUpTo ? session.answers[number] : undefined;

  /**
   * Checks that a session accepts this request.
   * @returns the session, and the number up to which its client has the answers
   * @throws {Problem} 409 if the session is not open or the number is out of range; `in-progress` in the minute after its end
   */
  const admit = (session: Session | undefined): { readonly session: Session; readonly upTo: number } => {
    if (!session || session.idleUntil <= clock.epochSeconds()) {
      if (session) refuseUnlessUnderWay(clock.epochSeconds() - session.idleUntil);
      const isOurs = sessionId.startsWith(prefixOf(records));
      const what = isOurs ? 'you have no open session with this id' : 'this session belongs to another service';
      throw new Problem('session-not-open', `${what}: open a new one by POST ${records.sessionsPath}`);
    }
    const upTo = Math.max(session.answeredUpTo, toldUpTo);
    if (number <= upTo) {
      throw new Problem('number-out-of-range', `all requests up to ${upTo} were answered: take the next number`);
    }
    const last = upTo + MAX_OPEN_REQUESTS;
    if (number > last) {
      throw new Problem('number-out-of-range', `take a number up to ${last}, or confirm answers with Answered-Up-To`);
    }
    return { session, upTo };
  };

  const read = () => readSession(records.table, Key);

  return {
    scope: computeHash([client, 'session', sessionId, number]),
    requestHash,
    formerHash,
    refuseReused,
    find: async () => findAnswer(await read()),
    async claim(trigger) {
      const { session, upTo } = admit(await read());
      return (version, state) =>
        acceptWrite(session, upTo, { version, requestHash, trigger, ...(state ? { state } : {}) });
    },
    readEarlier(found) {
      const session = found as Session | undefined;
      const answer = findAnswer(session);
      if (answer) return answer;
      admit(session);
      throw new WriteConflict('another request of the session was accepted or repeated');
    },
    recordRepeat,
  };

  /** Returns the write of the session's item after this request. Its condition repeats what `admitted` checked. */
  function acceptWrite(session: Session, upTo: number, answer: EarlierRequest) {
    const { answers, answeredUpTo } = session;
    const gone = Object.keys(answers).filter((one) => Number(one) <= upTo);
    const { idleUntil, expiresAt } = computeEnds(records, session.idleUntil);
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
  async function recordRepeat(): Promise<void> {
    const { idleUntil, expiresAt } = computeEnds(records);
    const isOpen = 'idleUntil > :now';
    const isLater = 'idleUntil < :idleUntil';
    try {
      await documentClient.send(
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

function checkSessionId(sessionId: string | undefined): string {
  if (sessionId !== undefined && /^[\x21-\x7e]{1,255}$/.test(sessionId)) return sessionId;
  throw malformedHeader('Session-Id', 'expected the sessionId of an open session');
}

function parseNumber(header: string, text: string | undefined, least: 0 | 1): number {
  if (text !== undefined && /^(0|[1-9]\d{0,11})$/.test(text) && Number(text) >= least) return Number(text);
  throw malformedHeader(header, `expected a whole number from ${least}`);
}

const malformedHeader = (header: string, detail: string): Problem =>
  new Problem('invalid-request', `missing or malformed ${header}`, { errors: [{ header, detail }] });
