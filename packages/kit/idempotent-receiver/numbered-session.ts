import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documents, ItemExists, putNew } from '../aws/dynamodb.js';
import { newId } from '../aws/ids.js';
import { Problem, WriteConflict } from '../http/errors.js';
import { hashOf, type KeyedRequest, requestHashesOf } from './idempotency-key.js';
import type { Earlier, RecordsTable, RequestRecord } from './request-record.js';

/** A session without an accepted request for so long takes none any more (1 h). */
export const SESSION_IDLE_SECONDS = 3600;
/** How many requests may be without an answer at once. */
export const REQUESTS_AT_ONCE = 10;
/** Partition keys of sessions begin with this. */
const SESSION = 'session#';

/** A session as it lies in the records table: its answers are in it, so that one write moves on, adds and forgets. */
interface Session {
  /** Epoch seconds: when it ends, unless a request is accepted before. Not `expiresAt`, which DynamoDB heeds days late. */
  readonly idleUntil: number;
  /** The client has the answers of all up to this number, and they are gone. */
  readonly answeredUpTo: number;
  /** By number. */
  readonly answers: Readonly<Record<string, Earlier>>;
}

/** Bound to its client: another's session is one that isn't there. The id itself is kept nowhere. */
const keyOf = (client: string, sessionId: string) => ({ pk: SESSION + hashOf([client, sessionId]) });

const prefixOf = ({ service }: RecordsTable): string => `${service}_`;

const endsOf = ({ windowSeconds }: RecordsTable) => {
  const idleUntil = clock.epochSeconds() + SESSION_IDLE_SECONDS;
  // It outlives its end: a repeat of what was carried out is answered for the whole window.
  return { idleUntil, expiresAt: idleUntil + windowSeconds };
};

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
    // The id was made just now: it is this very session, whose first answer the SDK didn't get.
    if (!(error instanceof ItemExists)) throw error;
  }
  return { sessionId, expiresAt: new Date(ends.idleUntil * 1000).toISOString() };
}

/**
 * Request `n` of a session. It commits together with the session's own item: which keeps its answer, forgets those that
 * the client has, and refuses the write where the session has ended or has gone past `n`.
 *
 *     request 4, and then its late repeat          request 6, answered up to 5
 *     session: answered up to 3, has no 4
 *     transact: effect, answer 4
 *                                                  transact: effect, answer 6, up to 5, answer 4 is gone
 *     session: answered up to 5: refused
 *
 * @throws {Problem} 400 where a header has another form
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

  /** @returns it, and up to which number its client has the answers. @throws {Problem} 409 */
  const admitted = (session: Session | undefined): { readonly session: Session; readonly upTo: number } => {
    if (!session || session.idleUntil <= clock.epochSeconds()) {
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
      throw new Problem('number-out-of-range', `take a number up to ${last}, or say by Answered-Up-To what you have`);
    }
    return { session, upTo };
  };

  const read = async (): Promise<Session | undefined> => {
    const { Item } = await documents.send(new GetCommand({ TableName: records.table, Key, ConsistentRead: true }));
    return Item as Session | undefined;
  };

  return {
    scope: hashOf([client, 'session', sessionId, number]),
    requestHash,
    formerHash,
    refuseReused,
    find: async () => answerIn(await read()),
    async claim(trigger) {
      const { session, upTo } = admitted(await read());
      return (version) => accepted(session, upTo, { version, requestHash, trigger });
    },
    earlier(found) {
      const session = found as Session | undefined;
      const answer = answerIn(session);
      if (answer) return answer;
      admitted(session);
      throw new WriteConflict('another request of the session was accepted');
    },
  };

  /** The session's item after this request; the condition holds what `admitted` has seen. */
  function accepted({ answers, answeredUpTo }: Session, upTo: number, answer: Earlier) {
    const gone = Object.keys(answers).filter((one) => Number(one) <= upTo);
    const { idleUntil, expiresAt } = endsOf(records);
    // Never true of an item that isn't there: no request makes a session.
    const isOpen = 'idleUntil > :now';
    // Or it would be moved back, and a number that was answered and forgotten would be taken once more.
    const hasNotMovedOn = 'answeredUpTo = :seen';
    const isNew = 'attribute_not_exists(answers.#number)';
    return {
      Update: {
        TableName: records.table,
        Key,
        UpdateExpression: `SET answers.#number = :answer, answeredUpTo = :upTo, idleUntil = :idleUntil, expiresAt = :expiresAt${
          gone.length > 0 ? ` REMOVE ${gone.map((_, at) => `answers.#gone${at}`).join(', ')}` : ''
        }`,
        ConditionExpression: `${isOpen} AND ${hasNotMovedOn} AND ${isNew}`,
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
}

function refuseReused(): never {
  throw new Problem('key-reused', 'this number of the session came with another request before: take the next one');
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
  new Problem('invalid-request', `the request of a session needs a right ${header}`, { errors: [{ header, detail }] });
