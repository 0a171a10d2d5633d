import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RebuildRequest } from '../../../packages/kit/projection/contract.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import {
  type DeployedProjection,
  findProjection,
  listProjections,
  showProjection,
} from '../../../packages/operator/projections/projections.js';
import { type RebuildOrder, rebuild } from '../../../packages/operator/projections/rebuild.js';
import { Tallies } from '../../kit/projection/tallies.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const command = commandFormatter('tally');

let tallies: Tallies;
let projection: DeployedProjection;
let said: string[];
let waited: number[];
let asked: RebuildRequest['action'][];
/** Action that comes in between: in front of the calls of another one. */
let rivals: Partial<Record<RebuildRequest['action'], () => Promise<unknown>>>;
let stopped: boolean;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T00:00:00.000Z') });
  inProcessDynamoDb({ table: ['pk', 'sk'] }, { table: { feed: ['feedPk', 'feedSk'], lists: ['listPk', 'listSk'] } });
  tallies = new Tallies('table');
  [said, waited, asked, rivals, stopped] = [[], [], [], {}, false];
  projection = {
    name: 'tallies',
    service: 'tallies',
    commits: async () => 3,
    ask: async (request) => {
      asked.push(request.action);
      await rivals[request.action]?.();
      return tallies.ask(request);
    },
  };
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const ordered = (action: RebuildOrder['action'] = 'rebuild') => {
  pass(10);
  return rebuild(
    projection,
    { action },
    {
      command,
      say: (line) => said.push(line),
      wait: async (seconds) => {
        waited.push(seconds);
        pass(seconds);
      },
      stopped: () => stopped,
    },
  );
};
const refusal = async (action: RebuildOrder['action']) => {
  const error = await ordered(action).catch((error: unknown) => error);
  if (!(error instanceof OperatorError)) throw new Error('it was not refused');
  return `${error.exitCode} ${error.code}: ${error.message} -> ${command(...(error.next ?? []))}`;
};
const again = (...flags: string[]) => ['tally projections rebuild tallies', ...flags].join(' ');

describe('orderly projections rebuild', () => {
  test('completes, shows progress, waits a minute before it deletes, and ends with 0', async () => {
    await tallies.listed();
    await tallies.listed();
    const { exitCode, text, json } = await ordered();
    expect({ exitCode, json }).toMatchObject({
      exitCode: 0,
      json: { rebuild: { projection: 'tallies', result: 'done', versions: { reads: 2 } } },
    });
    expect(text).toBe(
      'tallies: 2026-03-01T00:01:10.000Z: version 2 replaced version 1\n2 commits of 2 aggregates replayed, 2 rows compared, 0 differences, 2 deleted',
    );
    expect(said).toEqual([
      'tallies: replay: 0 of about 3 commits, 0 aggregates',
      'tallies: deletes the old rows in 60 s, when no reader needs them any more',
      'tallies: deletion: 0 rows so far',
    ]);
    expect(waited).toEqual([60]);
  });

  test('ends with 3 if it is stopped, and the same command continues', async () => {
    await tallies.listed();
    rivals['go-on'] = async () => {
      stopped = true;
    };
    const { exitCode, text } = await ordered();
    expect({ exitCode, next: text.split('\n').at(-1) }).toEqual({ exitCode: 3, next: `next: ${again()}` });
    [stopped, asked, rivals] = [false, [], {}];
    expect(await ordered()).toMatchObject({ exitCode: 0 });
    expect(asked).not.toContain('begin');
  });

  test('continues by the same command, wherever it was killed', async () => {
    await tallies.listed();
    for (const action of ['begin', 'go-on'] as const) {
      rivals = {
        [action]: async () => {
          throw new Error('killed');
        },
      };
      await expect(ordered()).rejects.toThrow('killed');
    }
    rivals = {};
    expect(await ordered()).toMatchObject({ exitCode: 0, json: { rebuild: { versions: { reads: 2, last: 2 } } } });
  });

  test('a check ends with 4 where a row differs, with whose it is, and with 0 where none does', async () => {
    const id = await tallies.listed();
    await tallies.put({ pk: `SHOWN#${id}`, sk: 'ROW', version: 1, sum: 77 });
    const { exitCode, text } = await ordered('check');
    expect(exitCode).toBe(4);
    expect(text).toContain(`differences:\n  Tally/${id}  was shown with other values\n\nnext: ${again()}`);
    expect(await tallies.shown(1)).toEqual({ [id]: 77 });
    expect((await ordered()).exitCode).toBe(0);
    expect((await ordered('check')).exitCode).toBe(0);
    expect(await tallies.shown(3)).toEqual({ [id]: 1 });
  });

  test('retries a call that fails, and reports it when it fails three times in a row', async () => {
    await tallies.listed();
    let failures = 2;
    rivals['go-on'] = async () => {
      if (failures-- > 0) throw new OperatorError('refused', 'throttled');
    };
    expect(await ordered()).toMatchObject({ exitCode: 0 });
    failures = 3;
    await expect(ordered()).rejects.toThrow('throttled');
  });

  test('keeps the read version and nothing else if it is discarded, which is too late after the switch', async () => {
    const id = await tallies.listed();
    await tallies.ask({ action: 'begin', purpose: 'switch' });
    await tallies.count(id);
    await tallies.consume(id);
    expect(await tallies.rows()).toHaveLength(2);
    const { exitCode, text } = await ordered('discard');
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: expect.stringContaining('version 1 stayed') });
    expect(await tallies.rows()).toMatchObject([{ sk: 'ROW', sum: 2 }]);

    await tallies.ask({ action: 'begin', purpose: 'switch' });
    await tallies.ask({ action: 'go-on', pageSize: 3 });
    expect(await refusal('discard')).toMatch(/has switched already/);
  });

  test('a dry run says what would be done, and does nothing', async () => {
    await tallies.listed();
    const { exitCode, text } = await ordered('dry-run');
    expect({ exitCode, text }).toEqual({
      exitCode: 0,
      text: 'tallies: would build version 2 from about 3 commits, beside the current version 1',
    });
    expect(asked).toEqual(['show']);
  });

  test('--discard without a rebuild in progress is refused', async () =>
    expect(await refusal('discard')).toBe(
      `1 refused: Not done: no rebuild of 'tallies' is in progress. -> ${again()}`,
    ));

  test('a rebuild and a check are not mixed up', async () => {
    await tallies.ask({ action: 'begin', purpose: 'check' });
    expect(await refusal('rebuild')).toBe(`1 refused: Not done: a check of it is in progress. -> ${again('--check')}`);
  });
});

describe('orderly projections list and show', () => {
  test('show what is read, and how far a rebuild is', async () => {
    expect((await listProjections([projection])).text).toBe(
      'PROJECTION       READS  REBUILD\ntallies/tallies  1      never rebuilt',
    );
    expect(await showProjection(projection, command)).toMatchObject({ exitCode: 0 });
    await tallies.ask({ action: 'begin', purpose: 'switch' });
    const { exitCode, text, json } = await showProjection(projection, command);
    expect({ exitCode, json }).toMatchObject({ exitCode: 3, json: { projection: { versions: { builds: 2 } } } });
    expect(text).toMatch(
      /builds +version 2\nrebuild +rebuild since 2026-.*, version 2: REPLAY\n[\s\S]*next: .*tallies$/,
    );
  });

  test('an unknown name is reported with the existing ones', () =>
    expect(() => findProjection([projection], 'nobody')).toThrow("no projection 'nobody'; there are: tallies."));
});
