import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../../../lambdas/operations/program.js';
import { readCommandLine } from '../../../packages/operator/cli/command-line.js';
import { Exit, OperatorError } from '../../../packages/operator/cli/errors.js';
import { alignColumns, formatDuration } from '../../../packages/operator/cli/text-format.js';
import { ORDERLY, run } from '../../../tools/operator/command-line.js';

const reading = (words: readonly string[]) => {
  const line = readCommandLine(words, ORDERLY);
  if (line.help !== undefined) return { name: 'help', text: line.help };
  const { name, request, environment, json } = line;
  return { name, ...request, environment, json, text: '' };
};
const read = (line: string) => reading(line.split(' ').filter((word) => word !== ''));

function faultOf(line: string): OperatorError {
  try {
    read(line);
  } catch (error) {
    if (error instanceof OperatorError) return error;
  }
  throw new Error(`'${line}' was accepted`);
}

describe('a command line', () => {
  test.each([
    ['order o1', { name: 'order', orderId: 'o1', payload: false, verbose: false, environment: 'dev', json: false }],
    ['orders --status rejected --since 1h', { name: 'orders', status: 'rejected', since: '1h' }],
    ['orders --customer alice --from 12:00 --to 13:00', { customer: 'alice', from: '12:00', to: '13:00' }],
    ['orders --from 2026-11-29T12:00:00Z', { from: '2026-11-29T12:00:00Z' }],
    ['--environment prod order o1 --json', { name: 'order', orderId: 'o1', environment: 'prod', json: true }],
    ['failures list --consumer relay', { name: 'failures list', consumer: 'relay', limit: 100 }],
    ['doctor', { name: 'doctor', before: false }],
    ['doctor --before --environment prod', { name: 'doctor', before: true, assembly: 'cdk.out', environment: 'prod' }],
    ['--environment prod doctor --before --assembly out', { before: true, assembly: 'out', environment: 'prod' }],
    ['failures list --limit 7 --before 2026-12-01', { limit: 7, before: '2026-12-01T00:00:00.000Z' }],
    ['failures redrive c m --not-done', { name: 'failures redrive', consumer: 'c', messageId: 'm', notDone: true }],
    ['failures groups --consumer c', { name: 'failures groups', consumer: 'c' }],
    ['failures redrive --group 1f3a9c2', { group: '1f3a9c2', rate: 10, dryRun: false }],
    ['failures redrive --group 1f3a --rate 100 --dry-run', { group: '1f3a', rate: 100, dryRun: true }],
    ['failures discard --group 1f3a9c2 --reason test', { group: '1f3a9c2', rate: 10, reason: 'test' }],
    [
      'replay --consumer c --from 2026-12-01 --rate 50',
      { name: 'replay', selection: { kind: 'span', from: '2026-12-01T00:00:00.000Z' }, rate: 50, again: false },
    ],
    ['replay --consumer c --event e --dry-run', { selection: { kind: 'event', id: 'e' }, dryRun: true }],
    ['audit --subject Payment/p1', { name: 'audit', subject: 'Payment/p1', from: undefined }],
    ['audit --order o1 --resend', { name: 'audit', subject: 'Order/o1', from: undefined, resend: true }],
    [
      'audit --order o1',
      { parts: ['CreateOrderSaga', 'PriceCheck', 'Reservation', 'Payment', 'Checkout'].map((part) => `${part}/o1`) },
    ],
    ['audit --since 1h', { name: 'audit', subject: undefined, from: 3_600 }],
    ['audit-log', { name: 'audit-log', back: 86_400 }],
    ['person forget p --dry-run', { name: 'person forget', person: 'p', dryRun: true }],
    ['person export p', { name: 'person export', person: 'p' }],
    ['failures discard c m --reason test --dry-run', { name: 'failures discard', reason: 'test', dryRun: true }],
    ['inbox list --state failed', { name: 'inbox list', state: 'failed' }],
    ['inbox list --consumer c --subject A/1', { consumer: 'c', subject: 'A/1' }],
    ['inbox retry c m --dry-run', { name: 'inbox retry', consumer: 'c', messageId: 'm', dryRun: true }],
    ['inbox discard c m --reason test', { name: 'inbox discard', reason: 'test', dryRun: false }],
    ['sagas list', { name: 'sagas list', limit: 50 }],
    ['sagas list --limit 1000', { limit: 1000 }],
    ['sagas show s', { name: 'sagas show', sagaId: 's' }],
    ['sagas retry s --dry-run', { name: 'sagas retry', action: 'retry', sagaId: 's', dryRun: true }],
    ['sagas resolve s --note done', { name: 'sagas resolve', action: 'resolve', note: 'done', dryRun: false }],
    ['sagas resolve --group abcd --before 2026-12-01T08:00:00Z --note done', { before: '2026-12-01T08:00:00.000Z' }],
    ['projections rebuild p', { name: 'projections rebuild', projection: 'p', action: 'rebuild' }],
    ['projections rebuild p --dry-run --json', { action: 'dry-run', json: true }],
  ])('%s', (line, expected) => expect(read(line)).toMatchObject(expected));

  test.each([
    ['order', /needs the order id/, / order 5d41/],
    ['order o1 o2', /Unexpected argument 'o2'\. 'order' takes only 1\./, / order 5d41/],
    ['order o1 --not-done', /'order' has no option --not-done/, / order 5d41/],
    [
      'orders --status refused',
      /--status: 'refused' is unknown: expected pending, under-review/,
      / orders --status rejected/,
    ],
    ['orders --reason broke', /--reason: 'broke' is unknown: expected out-of-stock/, / orders --status rejected/],
    ['orders --from noon', /--from: 'noon' is no time: expected a time of day in UTC, as 12:00/, / --since 1h$/],
    ['orders --since 1h --from 12:00', /--since: expected without from and to/, / --since 1h$/],
    ['orders --key order-17', /--key: expected with customer only/, / --since 1h$/],
    ['orders --state rejected', /'orders' has no option --state/, / orders --status rejected/],
    ['ordrs', /There is no command 'ordrs'/, /--help$/],
    ['failures list --limit 0', /--limit is '0': expected 1 to 1000/, / failures list /],
    ['failures list --before noon', /--before is 'noon': expected a time, as 2026/, / failures list /],
    ['failures show c', /needs the message id/, / failures show reservations/],
    ['failures redrive', /needs the consumer, or --cause or --group/, / failures redrive reservations/],
    ['failures redrive c', /needs the message id/, / failures redrive reservations/],
    ['failures redrive c m --group 1f3a', /expected one of them/, / failures redrive /],
    ['failures redrive --group 1f', /--group is '1f': expected 4 to 16 hexadecimal digits/, / failures redrive /],
    ['failures redrive --group 1f3a --not-done', /--not-done is about one message/, / failures redrive /],
    ['failures redrive --group 1f3a --rate 0', /--rate is '0': expected 1 to 100/, / redrive /],
    ['failures redrive --group 1f3a --rate 101', /--rate is '101'/, / redrive /],
    ['failures discard --group 1f3a', /needs --reason/, /--reason 'test data/],
    ['failures groups c', /Unexpected argument 'c'/, / failures groups /],
    [
      'audit-log --since yesterday',
      /--since is 'yesterday': expected a number with s, m, h or d/,
      / audit-log --since 7d$/,
    ],
    ['replay --from 2026-12-01', /needs --consumer/, / replay --consumer reservations --from /],
    ['replay --consumer c', /needs one of --from, --aggregate and --event/, / replay --consumer /],
    ['audit', /'audit' needs one of --since, --from, --order and --subject/, / audit --since 1h$/],
    ['audit --order o1 --since 1h', /needs one of/, / audit /],
    ['audit --order o1 --subject Order/o1', /needs one of/, / audit /],
    ['person forget', /needs the person id/, / person forget alice/],
    ['person p', /There is no command 'person p'/, /--help$/],
    ['failures discard c m', /needs --reason/, /--reason 'test data/],
    ['inbox discard c m', /needs --reason/, /--reason 'test data/],
    ['inbox list --state lost', /--state is 'lost': expected waiting, running, paused, parked/, / inbox list /],
    ['sagas resolve s', /needs --note/, /--note 'refunded by hand/],
    [`sagas resolve s --note ${'x'.repeat(501)}`, /501 characters: expected 1 to 500/, / sagas resolve /],
    ['sagas resolve s --note x --before 2026-12-01', /--before is about the sagas of a --group/, / sagas resolve /],
    ['sagas resolve --group abcd --note x --before noon', /--before is 'noon': expected a time/, / sagas resolve /],
    ['sagas retry s --note x', /'sagas retry' has no option --note/, / sagas retry /],
    ['sagas list --limit 0', /--limit is '0': expected 1 to 1000/, / sagas list --limit 200$/],
    ['sagas list --limit many', /--limit is 'many'/, / sagas list /],
    ['order o1 --nope', /--nope/, /--help$/],
    ['projections rebuild', /needs the projection/, / projections rebuild orders-list$/],
    ['projections rebuild p --discard --check', /--check and --discard exclude each other/, / rebuild orders-list$/],
    ['order o1 --environment Prod', /Invalid environment name 'Prod': expected lower-case letters/, / order 5d41/],
  ])('%s is wrong usage, with a right example', (line, message, next) => {
    const { code, exitCode, message: said, next: example = [] } = faultOf(line);
    expect({ code, exitCode, said, example: command(...example) }).toEqual({
      code: 'usage',
      exitCode: 2,
      said: expect.stringMatching(message),
      example: expect.stringMatching(next),
    });
  });

  test.each(['', '--help', '-h', 'help'])("'%s' shows all commands", (line) =>
    expect(read(line)).toMatchObject({ name: 'help', text: expect.stringContaining('sagas retry') }),
  );

  test.each(['failures', 'failures --help', 'help failures'])("'%s' shows the commands of the group", (line) => {
    const { name, text } = read(line);
    expect(name).toBe('help');
    expect(text).toContain('failures discard');
    expect(text).not.toContain('sagas retry');
  });

  test('help of a command is the same in both words', () => expect(read('help order')).toEqual(read('order --help')));

  test('help of nothing that there is says so', () =>
    expect(faultOf('help ordr').message).toBe("There is no command 'ordr'. Did you mean 'order'?"));

  test('--version prints the release', () => expect(read('--version').text).toMatch(/^orderly \d+\.\d+\.\d+$/));

  const names = [
    'audit',
    'replay',
    'stored',
    ...['orders', 'order', 'trace', 'status', 'doctor'],
    ...[
      'failures list',
      'failures causes',
      'failures annotate',
      'failures groups',
      'failures show',
      'failures redrive',
      'failures discard',
    ],
    ...['inbox list', 'inbox show', 'inbox retry', 'inbox discard'],
    ...['sagas list', 'sagas show', 'sagas retry', 'sagas resolve'],
    ...['projections list', 'projections show', 'projections rebuild'],
    ...['restore plan', 'restore apply', 'audit-log', 'completion', 'complete', 'console'],
    ...['person forget', 'person export'],
    ...['consumers list', 'consumers pause', 'consumers resume'],
    ...[
      'local status',
      'local forward',
      'local constructs',
      'local fault',
      'local calm',
      'local duplicate',
      'local reset',
    ],
  ];
  test('each command is on the page of the command line', () => {
    const page = readFileSync('docs/operations/command-line.md', 'utf8');
    const all = read('--help');
    expect(all.text.match(/^ {2}(?!--)[a-z-]+(?= |$)/gm)).toHaveLength(names.length);
    for (const name of names) expect(page).toContain(`npm run orderly -- ${name} `);
  });

  test('the help has the exit codes of the page', () => {
    const page = readFileSync('docs/operations/command-line.md', 'utf8');
    const codesIn = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, code]) => code);
    const { text } = read('--help');
    expect(codesIn(text, /^ {2}(\d) {3}\S/gm)).toEqual(Object.values(Exit).map(String));
    expect(codesIn(page, /^\| (\d) \| /gm)).toEqual(Object.values(Exit).map(String));
    expect(text).toContain("'status': not healthy; 'doctor': it has findings");
  });

  test('each example is right, and has its own help', () => {
    for (const name of names) {
      const help = read(`${name} --help`);
      const [, example = ''] = /Example: .* -- (.*)$/.exec(help.text) ?? [];
      const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect(reading(words).name).toBe(name === 'completion' ? 'help' : name);
    }
  });
});

describe('a wrong command', () => {
  const said = async (...args: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await run(args, { out: (text) => out.push(text), err: (text) => err.push(text) });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };

  test('ends with 2, what was wrong and what would be right', async () => {
    const { code, out, err } = await said('order');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/needs the order id\.\nCorrect usage: npm run -s orderly -- order /);
  });

  test('a wrong command is one JSON object with --json', async () => {
    const { code, out, err } = await said('order', '--json');
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'usage', next: expect.stringContaining('order') } });
  });
});

describe('text', () => {
  test('a command can be pasted, whatever its words hold', () => {
    expect(command('a', 'Order#1/COMMIT#1', "it's")).toBe("npm run -s orderly -- a 'Order#1/COMMIT#1' 'it'\\''s'");
  });

  test('cells stand under each other', () =>
    expect(
      alignColumns([
        ['a', 'b'],
        ['long', 'c'],
      ]),
    ).toBe('a     b\nlong  c'));

  test.each([
    [0.4, '0 s'],
    [119, '119 s'],
    [600, '10 min'],
    [7200, '2 h'],
    [864_000, '10 days'],
  ])('%d seconds are %s', (seconds, words) => expect(formatDuration(seconds)).toBe(words));
});
