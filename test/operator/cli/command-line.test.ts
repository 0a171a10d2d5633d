import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OperatorCommand, operatorCommand } from '../../../packages/operator/cli/command.js';
import { readCommandLine } from '../../../packages/operator/cli/command-line.js';
import { Exit } from '../../../packages/operator/cli/errors.js';
import { operatorCommandLine } from '../../../packages/operator/cli/run.js';
import { kitCommands } from '../../../packages/operator/commands/kit-commands.js';
import { run } from '../example.js';

/** Stacks of an account, as CloudFormation answers. */
const STACKS = {
  'cinema-dev-Halls': {
    ServiceName: 'halls',
    TableName: 't',
    RecordsName: 'r',
    RelayName: 'f',
    FeedShards: '[{"from":"1970-01-01T00:00:00.000Z","shards":8}]',
    Consumers: '[]',
  },
  'cinema-dev-Api': { ApiUrl: 'https://api.test' },
  'cinema-dev-eu-Halls': { ServiceName: 'halls of another environment', Consumers: '[]' },
  'orderly-dev-Orders': { ServiceName: 'orders of another app', Consumers: '[]' },
};
const stacksXml = Object.entries(STACKS).map(([name, outputs]) => {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<member><StackId>arn:aws:cloudformation:eu-west-1:111122223333:stack/${name}/1</StackId><StackName>${name}</StackName><Outputs>${members.join('')}</Outputs></member>`;
});
const cloudFormation = createServer((_, response) => {
  response
    .setHeader('content-type', 'text/xml')
    .end(
      `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${stacksXml.join('')}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    );
});

let before: string | undefined;
beforeEach(async () => {
  await new Promise<void>((resolve) => cloudFormation.listen(0, '127.0.0.1', resolve));
  before = process.env.AWS_ENDPOINT_URL;
  process.env.AWS_ENDPOINT_URL = `http://127.0.0.1:${(cloudFormation.address() as AddressInfo).port}`;
});
afterEach(async () => {
  if (before === undefined) delete process.env.AWS_ENDPOINT_URL;
  else process.env.AWS_ENDPOINT_URL = before;
  await new Promise((resolve) => void cloudFormation.close(resolve));
});

async function said(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(args, { out: (text) => out.push(text), err: (text) => err.push(text) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

describe('the command line of an application that isn’t Orderly', () => {
  test('runs its own command, with the services of its own stacks', async () => {
    expect(await said('seat', '14A')).toEqual({
      code: 0,
      out: '14A: free, as 1 service says',
      err: `dev at ${process.env.AWS_ENDPOINT_URL}`,
    });
    expect(await said('seat', '14A', '--json')).toEqual({ code: 0, out: '{"seatId":"14A"}', err: '' });
  });

  test('the command line has the kit’s commands, and advises with its own program', async () => {
    expect((await said('sagas', 'list')).out).toBe('no saga waits');
    const { code, err } = await said('sagas', 'show', 's1');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/There is no saga 's1'\.\nNext: npm run -s cinema -- sagas list$/),
    });
  });

  test('has no environment without a service', async () =>
    expect(await said('seat', '14A', '--environment', 'prod')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/No service of 'prod' is deployed at http:\/\/127\.0\.0\.1:\d+\.$/),
    }));

  test('says when its stacks can’t be read', async () => {
    process.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:1';
    expect(await said('seat', '14A', '--json')).toMatchObject({ code: 1, out: expect.stringMatching(/"unreachable"/) });
  });

  test('says nothing about Orderly', async () => {
    const { out } = await said('--help');
    expect(out).toMatch(/npm run -s cinema -- <command>\n\n {2}seat <seat id>\n/);
    for (const { name } of kitCommands()) {
      const help = await said(...name.split(' '), '--help');
      expect(help.out).not.toMatch(/order|reservations/i);
    }
  });
});

describe('a command that can’t be undone', () => {
  const deletes = operatorCommand({
    name: 'delete',
    usage: 'delete',
    positionals: [],
    options: {},
    example: ['delete'],
    about: '',
    details: '',
    irreversible: true,
    parse: () => ({}),
    run: async () => ({ exitCode: Exit.OK, text: 'deleted', json: {} }),
  });
  /** Changes something only on request, as the audit does with --resend. */
  const sends = operatorCommand({
    name: 'send',
    usage: 'send [--again]',
    positionals: [],
    changesWith: 'again',
    options: { again: { type: 'boolean' } },
    example: ['send'],
    about: '',
    details: '',
    parse: ({ options }) => options,
    run: async () => ({ exitCode: Exit.OK, text: 'sent', json: {} }),
  });
  const deleting = (at: 'AWS' | 'emulator', answer: string, ...args: readonly string[]) =>
    calling(at, answer, 'delete', ...args);
  const calling = async (at: 'AWS' | 'emulator', answer: string, ...args: readonly string[]) => {
    const url = at === 'AWS' ? undefined : process.env.AWS_ENDPOINT_URL;
    const app = { app: 'cinema', program: 'cinema', resolveEndpoint: async () => ({ url, region: 'eu-west-1' }) };
    const said: string[] = [];
    const ask = async (question: string) => {
      said.push(question);
      return answer;
    };
    const say = (text: string) => void said.push(text);
    const code = await operatorCommandLine({ ...app, commands: [deletes, sends] })(args, {
      out: say,
      err: say,
      ask,
    });
    return { code, said: said.join('\n') };
  };
  const [id, secret] = [process.env.AWS_ACCESS_KEY_ID, process.env.AWS_SECRET_ACCESS_KEY];
  beforeEach(() => Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }));
  afterEach(() => {
    for (const [name, value] of Object.entries({ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('asks at AWS, naming account and region, and does nothing without a yes', async () => {
    const { code, said } = await deleting('AWS', 'n');
    expect(said).toBe(
      "dev at AWS eu-west-1, account 111122223333\ndelete in dev at AWS eu-west-1, account 111122223333: this can't be undone. Continue? [y/N] \nNot done.",
    );
    expect(code).toBe(1);
    expect((await deleting('AWS', 'y')).said).toMatch(/\ndeleted$/);
  });

  test('asks nothing with --yes, or at an emulator', async () => {
    expect((await deleting('AWS', 'n', '--yes')).said).toBe('dev at AWS eu-west-1, account 111122223333\ndeleted');
    expect((await deleting('emulator', 'n')).said).toMatch(/^dev at http:\S+\ndeleted$/);
  });

  test('says its place also with --json, and so does what changes something on request', async () => {
    const place = 'dev at AWS eu-west-1, account 111122223333';
    expect((await deleting('AWS', 'n', '--yes', '--json')).said).toBe(`${place}\n{}`);
    expect((await calling('emulator', 'n', 'send', '--json')).said).toBe('{}');
    expect((await calling('emulator', 'n', 'send', '--again', '--json')).said).toMatch(/^dev at http:\S+\n\{\}$/);
    expect((await calling('emulator', 'n', 'send', '--again')).said).toMatch(/^dev at http:\S+\nsent$/);
  });
});

describe('commands of one command line', () => {
  const named = (name: string, type: 'boolean' | 'string'): OperatorCommand =>
    operatorCommand({
      name,
      usage: name,
      positionals: [],
      options: { flag: { type } },
      example: [name],
      about: '',
      details: '',
      parse: () => ({}),
      run: async () => ({ exitCode: Exit.OK, text: '', json: {} }),
    });
  const lineOf =
    (...commands: readonly OperatorCommand[]) =>
    () =>
      operatorCommandLine({ app: 'cinema', program: 'cinema', resolveEndpoint: () => expect.fail(), commands });

  test('commands have different names', () =>
    expect(lineOf(named('seat', 'boolean'), named('seat', 'boolean'))).toThrow("Two commands are named 'seat'."));

  test('an option has a value for one command and none for another: the command that is named first decides', () => {
    const commands = [named('seat', 'boolean'), named('row', 'string')];
    const set = { program: 'cinema', commands };
    expect(readCommandLine(['seat', '--flag'], set)).toMatchObject({ name: 'seat' });
    expect(readCommandLine(['row', '--flag', 'seat'], set)).toMatchObject({ name: 'row' });
    expect(() => readCommandLine(['row', '--flag'], set)).toThrow('--flag');
  });
});
