import { describe, expect, test } from 'vitest';
import { colourStates, wantsColour } from '../../../packages/operator/cli/colour.js';
import { operatorCommand } from '../../../packages/operator/cli/command.js';
import { readCommandLine } from '../../../packages/operator/cli/command-line.js';
import { confirm } from '../../../packages/operator/cli/confirm.js';
import { findSimilarWord } from '../../../packages/operator/cli/did-you-mean.js';
import { Exit } from '../../../packages/operator/cli/errors.js';
import { sagasCommands } from '../../../packages/operator/commands/sagas.js';

const command = (name: string, irreversible = false) =>
  operatorCommand({
    name,
    usage: name,
    positionals: [],
    options: { 'dry-run': { type: 'boolean' } },
    example: [name],
    about: '',
    details: '',
    irreversible,
    parse: () => ({}),
    run: async () => ({ exitCode: Exit.OK, text: '', json: {} }),
  });
const commands = [command('order'), command('status'), command('failures list'), command('failures discard', true)];
const read = (line: string) => readCommandLine(line.split(' '), { program: 'shop', commands });

describe('a typing error', () => {
  test.each([
    ['ordr', 'order'],
    ['oredr', 'order'],
    ['stat', 'status'],
    ['failurse list', 'failures list'],
    ['x', undefined],
    ['unrelated', undefined],
  ])('%s is taken for %s', (word, known) =>
    expect(findSimilarWord(word, ['order', 'status', 'failures list'])).toBe(known),
  );

  test.each([
    ['ordr', "There is no command 'ordr'. Did you mean 'order'?"],
    ['failures lst', "There is no command 'failures lst'. Did you mean 'failures list'?"],
    ['failrues', "There is no command 'failrues'. Did you mean 'failures'?"],
    ['nonsense', "There is no command 'nonsense'."],
    ['status --jsn', "Unknown option '--jsn'. Did you mean --json?"],
  ])('%s', (line, message) => expect(() => read(line)).toThrow(message));
});

describe('an irreversible action', () => {
  const toConfirm = (line: string) => (read(line) as { toConfirm: boolean }).toConfirm;

  test('an irreversible action is confirmed, except with --yes, in a dry run, or if it can be undone', () => {
    expect(toConfirm('failures discard')).toBe(true);
    expect(toConfirm('failures discard --yes')).toBe(false);
    expect(toConfirm('failures discard --dry-run')).toBe(false);
    expect(toConfirm('failures list')).toBe(false);
  });

  test('a command that first shows how much it changes asks for its own confirmation', () => {
    const set = { program: 'trips', commands: sagasCommands() };
    const asked = (line: string) => readCommandLine([...line.split(' '), '--note', 'done'], set);
    expect(asked('sagas resolve --group abcd')).toMatchObject({ toConfirm: false });
    expect(asked('sagas resolve s')).toMatchObject({ toConfirm: true });
  });

  test.each(['y', 'yes', ' Y '])('an irreversible action is done after %s', async (answer) =>
    expect(await confirm('it', async () => answer)).toBeUndefined(),
  );

  test.each(['', 'n', 'yesterday'])('an irreversible action is not done after %j', async (answer) =>
    expect(confirm('it', async () => answer)).rejects.toThrow('Not done.'),
  );

  test('an irreversible action is not done without a terminal to answer', async () =>
    expect(confirm('it in prod', async () => undefined)).rejects.toMatchObject({
      message: "Not done: it in prod can't be undone, and nobody is here to confirm it.",
      next: 'add --yes',
    }));
});

describe('colours', () => {
  test('show states, and leave headings and other words alone', () => {
    const red = (text: string) => `\u001b[31m${text}\u001b[0m`;
    expect(colourStates('NOT HEALTHY: 1 message failed')).toBe(`${red('NOT HEALTHY')}: 1 message failed`);
    expect(colourStates('HEALTHY')).toBe('\u001b[32mHEALTHY\u001b[0m');
    expect(colourStates('a: PENDING')).toBe('a: \u001b[33mPENDING\u001b[0m');
    expect(colourStates('failed: no')).toBe(`${red('failed')}: no`);
    const head = 'CONSUMER  PENDING  IN FLIGHT  OLDEST  FAILED  PARKED';
    expect(colourStates(head)).toBe(head);
  });

  test('colours are for terminals, and not for users who switch them off', () => {
    expect(wantsColour({ isTTY: true }, {})).toBe(true);
    expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColour({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
    expect(wantsColour({}, {})).toBe(false);
  });
});

test('profile and region of AWS are options of every command', () =>
  expect(read('order --profile ops --region eu-west-1')).toMatchObject({ profile: 'ops', region: 'eu-west-1' }));
