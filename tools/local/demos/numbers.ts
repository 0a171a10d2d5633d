import type { Stage } from './stage.js';

interface Update {
  readonly number: number;
  readonly body: { readonly name?: string; readonly email?: string };
  readonly answeredUpTo?: number;
}

/** The user, or a problem (RFC 9457). */
interface Answer {
  readonly version?: number;
  readonly detail?: string;
}

const FIRST: Update = { number: 1, body: { name: 'Bob' } };
const SECOND: Update = { number: 2, body: { email: 'bob@example.org' } };
const THIRD: Update = { number: 3, body: { name: 'Robert' }, answeredUpTo: 2 };

/** A client numbers the updates of its own data. In the end, an old update arrives once more. */
export async function play(stage: Stage): Promise<void> {
  const bob = stage.named('bob');
  const arrived: Update[] = [];
  const send = async (update: Update): Promise<void> => {
    const { number, body, answeredUpTo } = update;
    arrived.push(update);
    const known = answeredUpTo === undefined ? '' : `   Answered-Up-To: ${answeredUpTo}`;
    stage.show(`PATCH /users/me ${JSON.stringify(body)}   Request-Number: ${number}${known}`);
    const answer = await stage.ask<Answer>(bob, 'PATCH /users/me', {
      body,
      headers: {
        'session-id': sessionId,
        'request-number': String(number),
        ...(answeredUpTo !== undefined && { 'answered-up-to': String(answeredUpTo) }),
      },
    });
    const { version, detail } = answer.body;
    const effect = answer.replayed
      ? `version ${version}, from the record: Idempotency-Replayed: true`
      : `version ${version}`;
    stage.show(`${answer.status}  ${answer.status === 200 ? effect : detail}`);
  };

  stage.tell('Bob opens a session, and his client numbers its updates. It repeats number 1, as its answer got lost:');
  const { sessionId } = await stage.do<{ sessionId: string }>(bob, 'POST /users/sessions');
  await send(FIRST);
  await send(FIRST);
  stage.tell('Number 2. An answer is kept until the client says that it has it:');
  await send(SECOND);
  await send(SECOND);
  stage.tell(
    'Number 3, and the answers up to number 2 have arrived. Their record is removed, and they are never done again:',
  );
  await send(THIRD);
  await send(FIRST);
  await send(SECOND);
  const refused = await stage.logged('users/patch-me', { message: 'request refused', code: 'number-out-of-range' }, 2);
  stage.showLog(refused, 'code', 'status');
  const { name, version } = await stage.do<{ name: string; version: number }>(bob, 'GET /users/me');
  stage.show(`Bob's name is ${name}, at version ${version}: ${arrived.length} requests, ${version} updates`);

  stage.tell(
    'Without the pattern: a receiver that carries out each request that arrives, also the old ones at the end.',
  );
  const naive: Update['body'] = Object.assign({}, ...arrived.map(({ body }) => body));
  stage.show(`Bob's name is ${naive.name}, at version ${arrived.length}: the newest update is lost`);
}
