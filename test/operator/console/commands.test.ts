import { expect, test } from 'vitest';
import { Commands, type RunCommand, splitWords } from '../../../packages/console/server/index.js';

/** A command line that says which words it got. */
const echo: RunCommand = async (words, { out, err }) => {
  err('dev at a local cloud');
  if (words.includes('trace')) out('{"error":{"code":"not-found","message":"nobody knows it"}}');
  else out(words.includes('--json') ? JSON.stringify({ words }) : `ran ${words.join(' ')}`);
  return 0;
};
const commands = (run: RunCommand = echo) =>
  new Commands({ program: 'npm run -s orderly --', run, common: ['--environment', 'prod'] });
const get = (target: string, all = commands()) => all.answer({ method: 'GET', target, body: '' });
const run = (command: unknown, all = commands()) =>
  all.answer({ method: 'POST', target: '/runs', body: JSON.stringify({ command }) });

test('the page reads the JSON of a command, with its parameters as options and in its own environment', async () => {
  expect(await get('/read/audit?since=15m&grace=10s')).toEqual({
    status: 200,
    body: { words: ['audit', '--since', '15m', '--grace', '10s', '--json', '--environment', 'prod'] },
  });
  expect(await get('/read/stored/m1?with=m2&consumer=seats')).toMatchObject({
    body: { words: ['stored', 'm1', '--with', 'm2', '--consumer', 'seats', '--json', '--environment', 'prod'] },
  });
  expect(await get('/read/failures')).toMatchObject({
    body: { words: ['failures', 'groups', '--json', '--environment', 'prod'] },
  });
  expect(await get('/read/orders?synthetic=true')).toMatchObject({
    body: { words: expect.arrayContaining(['--synthetic', '--json']) },
  });
});

test('an error of a command is an answer that says so', async () => {
  expect(await get('/read/trace/4711')).toEqual({ status: 404, body: { message: 'nobody knows it' } });
  const silent: RunCommand = async (_, { err }) => {
    err('it broke');
    return 1;
  };
  expect(await get('/read/status', commands(silent))).toEqual({ status: 500, body: { message: 'it broke' } });
});

test('nothing else is read, and no other environment', async () => {
  expect(await get('/read/restore')).toMatchObject({ status: 404 });
  expect(await get('/read/constructor')).toMatchObject({ status: 404 });
  expect(await get('/read/status?environment=dev')).toMatchObject({ status: 400 });
  expect(await get('/read/status?profile=other')).toMatchObject({ status: 400 });
  expect(await get('/facts')).toBeUndefined();
});

test('a command runs in the background, and what it prints is read until it has ended', async () => {
  let end: (code: number) => void = () => undefined;
  const slow: RunCommand = (_, { out }) => {
    out('10 of 20\n20 of 20');
    return new Promise((resolve) => {
      end = resolve;
    });
  };
  const all = commands(slow);
  const begun = await run("npm run -s orderly -- failures redrive --group '9a62'", all);
  expect(begun).toMatchObject({ status: 202, body: { id: '1', lines: ['10 of 20', '20 of 20'] } });
  expect(begun?.body).not.toHaveProperty('code');
  end(4);
  await Promise.resolve();
  expect(await get('/runs/1', all)).toMatchObject({ status: 200, body: { code: 4 } });
  expect(await get('/runs/2', all)).toMatchObject({ status: 404 });
});

test('a command that throws ends with its error', async () => {
  const broken: RunCommand = async () => {
    throw new TypeError('a fault of the tool');
  };
  const all = commands(broken);
  await run('doctor', all);
  await Promise.resolve();
  expect(await get('/runs/1', all)).toMatchObject({ body: { lines: ['TypeError: a fault of the tool'], code: 1 } });
});

test.each([
  ['restore begin', /'restore' is not run from here: the page runs audit, /],
  ['local forward 36d', /'local' is not run from here/],
  ['failures discard --cause 9a62 --reason "<why>"', /Write what belongs in the place of <why>/],
  ['failures list --environment dev', /in its own environment only/],
  ['failures list --profile=other', /in its own environment only/],
  ["order 'x", /A quotation mark is not closed/],
  [undefined, /the text of a command is missing/],
])('%s is not run, and the answer says why', async (command, why) => {
  const answer = await run(command);
  expect(answer?.status).toBe(400);
  expect(answer).toMatchObject({ body: { message: expect.stringMatching(why) } });
});

test('a command is split into words as a shell splits it, and nothing in it is expanded', () => {
  expect(splitWords(`order  'a b' "c 'd' \\" e" f\\ g '' $HOME;ls`)).toEqual([
    'order',
    'a b',
    `c 'd' " e`,
    'f g',
    '',
    '$HOME;ls',
  ]);
  expect(splitWords('  ')).toEqual([]);
  expect(splitWords('"open')).toBeUndefined();
});
