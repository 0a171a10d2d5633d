import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Env } from '../../../packages/kit/aws/environment.js';
import { MAX_TEXT_CHARACTERS, toFailureText } from '../../../packages/kit/aws/failure-texts.js';
import { findKnownText } from '../../../packages/kit/aws/known-texts.js';
import { SafeError, safeText } from '../../../packages/kit/aws/safe-error.js';
import { describeError } from '../../../packages/kit/aws/telemetry.js';

const SECRET = 'Alice Main Street 1';
const ADDRESS = `alice@example.org`;

const thrownBy = (work: () => unknown): Error => {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};
/** An answer of AWS, as the SDK throws it. */
const ofService = (name: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { name, $fault: 'client', $metadata: { httpStatusCode: 400 }, ...more });

afterEach(() => vi.unstubAllEnvs());

describe('a safe error', () => {
  test('keeps its text, with numbers, booleans and names of a closed list', () => {
    const system: 'fraud-service' | 'agency' = 'fraud-service';
    const error = new SafeError(safeText`the ${system} answered ${503}, again: ${true}`);
    expect(toFailureText(error)).toEqual({ shown: 'the fraud-service answered 503, again: true' });
    expect(error.message).toBe('the fraud-service answered 503, again: true');
  });

  test('takes no string from data: neither the compiler nor the run time lets it through', () => {
    const name = SECRET as string;
    // @ts-expect-error: a string may come from data
    expect(toFailureText(new SafeError(safeText`no review of ${name}`)).shown).toBe('no review of …');
    // @ts-expect-error: so may a part of one
    expect(toFailureText(new SafeError(safeText`no review of ${`to-${name}` as `to-${string}`}`)).shown).not.toContain(
      'Main',
    );
    // @ts-expect-error: an object has any text
    expect(toFailureText(new SafeError(safeText`no review of ${{ toString: () => name }}`)).shown).toBe(
      'no review of …',
    );
    const anything = JSON.parse(JSON.stringify({ name }));
    expect(toFailureText(new SafeError(safeText`no review of ${anything}`)).shown).toBe('no review of …');
  });

  test('only an error with a text from safeText is a safe error', () => {
    // @ts-expect-error: a composed text is no SafeText
    const composed = new SafeError(`no review of ${SECRET}`);
    expect(toFailureText(composed)).toEqual({ shown: '', hidden: `no review of ${SECRET}` });
    const changed = Object.assign(new SafeError(safeText`no review`), { message: SECRET });
    expect(toFailureText(changed)).toEqual({ shown: 'no review' });
    const named = Object.assign(new Error(SECRET), { name: 'SafeError' });
    expect(toFailureText(named).shown).toBe('');
  });

  test('a safe error may be a class of its own, and have a code', () => {
    class FraudServiceDown extends SafeError {
      override readonly name = 'FraudServiceDown';
      readonly code = 'FRAUD_SERVICE';
      constructor(status: number) {
        super(safeText`the fraud service answered ${status}`);
      }
    }
    const { name, text } = describeError(new FraudServiceDown(503));
    expect([name, text]).toEqual(['FraudServiceDown', 'FRAUD_SERVICE: the fraud service answered 503']);
  });

  test('says nothing of a cause that is not safe', () => {
    const error = new SafeError(safeText`the fraud service is down`, { cause: new Error(SECRET) });
    expect(toFailureText(error)).toEqual({
      shown: 'the fraud service is down',
      hidden: `the fraud service is down: ${SECRET}`,
    });
  });
});

describe('any other error', () => {
  test('keeps its code, if it is shaped like one, and no text', () => {
    const coded = Object.assign(new Error(SECRET), { code: 'card_declined' });
    expect(toFailureText(coded)).toEqual({ shown: 'card_declined', hidden: SECRET });
    for (const code of [ADDRESS, SECRET, 'x'.repeat(101), 7, '']) {
      expect(toFailureText(Object.assign(new Error(SECRET), { code })).shown).toBe('');
    }
  });

  test.each([undefined, null, 7, { message: SECRET }])(
    'a thrown value that is not an Error shows nothing: %j',
    (thrown) => {
      expect(toFailureText(thrown)).toEqual({ shown: '' });
    },
  );

  test('a thrown string is hidden', () => expect(toFailureText(SECRET)).toEqual({ shown: '', hidden: SECRET }));

  test('says what caused it, if that is known', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' });
    const error = new Error(`no review of ${SECRET}`, { cause: new TypeError('fetch failed', { cause: refused }) });
    expect(toFailureText(error).shown).toBe('caused by fetch failed: ECONNREFUSED');
    expect(toFailureText(error).hidden).toContain(SECRET);
    const endless = new Error(SECRET);
    endless.cause = endless;
    expect(toFailureText(endless).shown).toBe('');
  });
});

describe('texts of the language', () => {
  test.each<[string, () => unknown, string]>([
    ['a name as a function', () => [1].map(SECRET as never), '… is not a function'],
    ['a missing method', () => ({})[SECRET as never]['x' as never], 'Cannot read properties of undefined'],
    ['a key of data', () => (undefined as never)[SECRET as never], 'Cannot read properties of undefined'],
    ['a key of null', () => (null as never)[SECRET as never], 'Cannot read properties of null'],
    ['JSON', () => JSON.parse(`${SECRET}`), 'Unexpected token'],
    ['JSON that ends', () => JSON.parse('{'), ''],
    ['not iterable', () => new Map([SECRET] as never), ''],
    ['a number', () => BigInt(SECRET), '… to a BigInt'],
    ['a URL', () => new URL(SECRET), 'ERR_INVALID_URL: Invalid URL'],
    ['a time zone', () => new Intl.DateTimeFormat('en', { timeZone: SECRET }), 'Invalid time zone specified'],
    ['a date', () => new Date(`of ${ADDRESS}`).toISOString(), 'Invalid time value'],
    ['a pattern', () => new RegExp(`(${SECRET}`), 'Invalid regular expression'],
    [
      'a stack overflow',
      () =>
        (function f(): void {
          f();
        })(),
      'Maximum call stack size exceeded',
    ],
  ])('%s', (_, work, expected) => {
    const error = thrownBy(work);
    const { shown } = toFailureText(error);
    for (const word of ['Alice', 'Main', 'Street']) expect(shown).not.toContain(word);
    if (expected !== '') expect(shown).toBe(expected);
  });

  test('the text of a refused fetch is shown', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const error: unknown = await fetch(`http://127.0.0.1:${port}/${ADDRESS}`).catch((refused: unknown) => refused);
    expect(toFailureText(error)).toEqual({ shown: 'fetch failed: ECONNREFUSED' });
  });

  test('the text of an aborted fetch is shown', async () => {
    const error: unknown = await fetch('http://127.0.0.1:1/', { signal: AbortSignal.abort() }).catch((e: unknown) => e);
    expect(toFailureText(error)).toEqual({ shown: 'This operation was aborted' });
  });
});

describe('texts of the SDK', () => {
  test.each<[string, Error, string]>([
    ['throttling', ofService('ThrottlingException', 'Rate exceeded'), 'Rate exceeded (HTTP 400)'],
    [
      'a refused permission names the action, and nobody',
      ofService(
        'AccessDeniedException',
        `User: arn:aws:sts::123456789012:assumed-role/x/${SECRET} is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/t`,
      ),
      'not authorized to perform PutItem (HTTP 400)',
    ],
    [
      'an action that is none',
      ofService('AccessDeniedException', 'is not authorized to perform: dynamodb:Alice'),
      'not authorized to perform this action (HTTP 400)',
    ],
    [
      'a validation quotes the value',
      ofService('ValidationException', `One or more parameter values were invalid: Invalid attribute value: ${SECRET}`),
      'One or more parameter values were invalid (HTTP 400)',
    ],
    [
      'an expression quotes itself',
      ofService('ValidationException', `Invalid UpdateExpression: Syntax error; token: "${SECRET}"`),
      'Invalid UpdateExpression (HTTP 400)',
    ],
    ['an unknown text', ofService('ValidationException', `member must satisfy: [${SECRET}]`), 'HTTP 400'],
    [
      'a cancelled transaction',
      ofService('TransactionCanceledException', `Transaction cancelled [${SECRET}]`, {
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed', Item: { a: SECRET } },
          { Code: SECRET },
          null,
        ],
      }),
      'Transaction cancelled [None, ConditionalCheckFailed, …, None] (HTTP 400)',
    ],
    [
      'undefined values',
      new Error('Pass options.removeUndefinedValues=true to remove undefined values from map/array/set.'),
      'Pass options.removeUndefinedValues=true to remove undefined values',
    ],
    [
      'a class instance',
      new Error(
        `Unsupported type passed: ${SECRET}. Pass options.convertClassInstanceToMap=true to marshall typeof object as map attribute.`,
      ),
      'Unsupported type passed',
    ],
    ['no answer', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), 'ECONNRESET: socket hang up'],
  ])('%s', (_, error, expected) => expect(toFailureText(error).shown).toBe(expected));

  test('an answer with an unknown text is hidden', () => {
    expect(toFailureText(ofService('ValidationException', SECRET))).toMatchObject({ shown: 'HTTP 400' });
  });
});

/** Messages of the language and of AWS around a value. */
const AROUND = [
  (value: string) => `${value} is not a function`,
  (value: string) => `${value} is not iterable`,
  (value: string) => `Cannot read properties of undefined (reading '${value}')`,
  (value: string) => `Unexpected token 'a', "${value}" is not valid JSON`,
  (value: string) => `${value} is not defined`,
  (value: string) => `One or more parameter values were invalid: ${value}`,
  (value: string) => `User: ${value} is not authorized to perform: sqs:${value} on ${value}`,
  (value: string) => `Rate exceeded ${value}`,
  (value: string) => `The conditional request failed: ${value}`,
  (value: string) => value,
];

test('known texts never show a part of a message, whatever it contains', () => {
  const value = fc
    .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(SECRET, ADDRESS, 'GetItem'))
    .map((text) => `⟦${text}⟧`);
  const service = fc.boolean();
  fc.assert(
    fc.property(
      fc.constantFrom(...AROUND),
      value,
      service,
      fc.oneof(value, fc.integer()),
      (around, secret, isService, odd) => {
        const more = isService
          ? { $metadata: { httpStatusCode: odd }, CancellationReasons: [{ Code: secret }] }
          : { code: secret };
        const known = findKnownText(Object.assign(new TypeError(around(secret)), more)) ?? '';
        expect(known).not.toMatch(/[⟦⟧]/);
        expect(known).not.toContain(ADDRESS);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe('a text', () => {
  const shown = (text: string): string => toFailureText(new SafeError({ text } as never)).shown + hidden(text);
  const hidden = (text: string): string => toFailureText(new Error(text)).hidden ?? '';

  test('a text has one line of at most 500 characters, and no control characters of a terminal', () => {
    expect(shown('a\u001b[31m\u0007b\r\nc\td\u202ee\u2028f')).toBe('a [31m b c d e f');
    expect([...hidden('👍'.repeat(2_000))]).toHaveLength(MAX_TEXT_CHARACTERS);
    expect(hidden('x'.repeat(MAX_TEXT_CHARACTERS))).toBe('x'.repeat(MAX_TEXT_CHARACTERS));
    expect(hidden('x'.repeat(5_000_000))).toBe(`${'x'.repeat(MAX_TEXT_CHARACTERS - 1)}…`);
  });

  test('a text is shown as it is where the environment says so', () => {
    vi.stubEnv(Env.FAILURE_TEXTS, 'full');
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new Error(`no review of ${SECRET}`, { cause }), { code: 'NO_REVIEW' });
    expect(toFailureText(error)).toEqual({
      shown: `NO_REVIEW: no review of ${SECRET}: connect ECONNREFUSED 127.0.0.1:1`,
    });
    vi.stubEnv(Env.FAILURE_TEXTS, 'safe');
    expect(toFailureText(error).shown).not.toContain(SECRET);
  });
});

describe('a stack', () => {
  test('a stack has frames only, also if the message has lines that look like them', () => {
    const error = new Error(`failed\n    at ${SECRET}:1:1\n    at ${ADDRESS}`);
    const { stack } = describeError(error);
    expect(stack.length).toBeGreaterThan(0);
    expect(stack.join()).not.toContain('Alice');
    expect(stack.join()).not.toContain('alice');
    expect(describeError(Object.assign(error, { message: 'another' })).stack.join()).not.toContain('alice');
  });
});
