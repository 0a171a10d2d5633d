import { describe, expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { type History, playSeed, type Scenario } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { nextReleaseAssembly, prodAssembly } from '../support/simulation/assembly.js';
import type { PlantedBug } from './planted/bug.js';
import { planted } from './planted/plant.js';
import { accountLaneOrders } from './scenarios/account-lanes.js';
import { creditEnds } from './scenarios/accounts.js';
import { rewardsInOrder } from './scenarios/rewards.js';
import { userRaces } from './scenarios/users.js';

/**
 * Tests of settings that change in steps, a release each. The functions of two releases run side by side during a deployment and after a
 * rollback, and what one of them wrote the other one reads.
 */

type Change = Pick<PlantedBug, 'source' | 'resource'>;

/** Functions of two releases: each environment is of one of them. */
const EITHER = 'Date.now() % 2 === 0';

interface Played extends Change {
  readonly name: string;
  /** Folder of the assembly. @default the one of this release */
  readonly of?: () => string;
}

async function play(scenario: Scenario, { name, of = prodAssembly, ...change }: Played, seed = '1'): Promise<History> {
  const isChanged = change.source !== undefined || change.resource !== undefined;
  const deployment = isChanged
    ? await planted(of(), { name, scenario: scenario.name, ...change })
    : loadSharedDeployment(of());
  return playSeed(deployment, scenario, seed);
}

function expectKept(history: History): void {
  if (history.violations.length > 0) expect.fail(renderReport(history, 'setting-steps.test.ts'));
}

/** Texts of the items that functions wrote. */
const written = ({ cloud }: History): readonly string[] =>
  cloud.tableCalls.flatMap(({ effects }) => effects.changes.map(({ after = {} }) => JSON.stringify(after)));

/** Returns which of some texts the items contain. */
const findWritten = (history: History, texts: readonly string[]): readonly string[] => {
  const items = written(history);
  return texts.filter((text) => items.some((item) => item.includes(text)));
};

describe('inboxes store messages as text, then compressed', () => {
  /** Receivers of this release and of the next one, of which each stores a part of the messages. */
  const both = {
    file: 'packages/kit/inbox/receive.lambda.ts',
    from: '  payloads,\n',
    to: "  get payloads() { return Date.now() % 2 === 0 ? 'plain' as const : 'compressed' as const; },\n",
  };
  /** Runners of a release that reads the text only. */
  const readsText = {
    file: 'packages/kit/inbox/claimed-message.ts',
    from: "payload: () => readStoredPayload(item) ?? ''",
    to: 'payload: () => String(item.payload)',
  };
  const playRewards = async (played: Played) => {
    const history = await play(rewardsInOrder, played);
    const received = history.cloud.tableCalls.filter(({ fn }) => fn === 'Rewards/OnAccountEvents');
    const items = received.flatMap(({ effects }) => effects.changes.map(({ after = {} }) => after));
    const forms = ['payload', 'payloadDeflate'].filter((form) => items.some((item) => form in item));
    return { history, forms };
  };

  test.each<readonly [string, Omit<Played, 'name'>, readonly string[]]>([
    ['the next release stores and this one runs', { of: nextReleaseAssembly }, ['payloadDeflate']],
    ['receivers of both are there', { source: both }, ['payload', 'payloadDeflate']],
  ])('every promise is kept while %s', async (name, change, stored) => {
    const { history, forms } = await playRewards({ name, ...change });
    expectKept(history);
    expect(forms).toEqual(stored);
  });

  test('a release that reads the text only is found: so it comes before the one that stores otherwise', async () => {
    const name = 'a release that reads text';
    const { history } = await playRewards({ name, of: nextReleaseAssembly, source: readsText });
    expect(history.violations).not.toEqual([]);
  });
});

describe('orders are settled by their charge, then by either, then by their approval', () => {
  const SETTLEMENTS = ['CreditSettled', 'settles'];
  const settles = (how: string): NonNullable<Change['source']> => ({
    file: 'lambdas/accounts/aggregates.ts',
    from: "requireEnv(AccountsEnv.SETTLES_APPROVED) === 'true'",
    to: how,
  });
  /** The last step receives no charge; while it is deployed, some are heard. What isn't heard settles nothing. */
  const settlesNothing = (when: string): NonNullable<Change['source']> => ({
    file: 'lambdas/accounts/domain/authorization.ts',
    from: "if (amount === 0) return [];\n  return [{ type: 'CreditSettled'",
    to: `if (amount === 0 || ${when}) return [];\n  return [{ type: 'CreditSettled'`,
  });

  test.each<readonly [string, Omit<Played, 'name'>, readonly string[]]>([
    ['functions of the first step and of the second are there', { source: settles(EITHER) }, SETTLEMENTS],
    ['all are of the second step', { of: nextReleaseAssembly }, SETTLEMENTS],
    ['some charges are received no more', { of: nextReleaseAssembly, source: settlesNothing(EITHER) }, SETTLEMENTS],
    ['no charge is received', { of: nextReleaseAssembly, source: settlesNothing('true') }, ['settles']],
  ])('every promise is kept while %s', async (name, change, settlements) => {
    const history = await play(accountLaneOrders, { name, ...change });
    expectKept(history);
    expect(findWritten(history, SETTLEMENTS)).toEqual(settlements);
  });

  test('a release that leaves the second step out is found: approvals of functions before it settle nothing', async () => {
    const { violations } = await play(accountLaneOrders, { name: 'no second step', source: settlesNothing('true') });
    expect(violations.map(({ invariant }) => invariant)).toContain('an order that was paid uses no credit');
  });
});

describe("users' statuses are stored apart, then in both places, then read beside the lists", () => {
  const stores = (first: string, second: string): NonNullable<Change['source']> => ({
    file: 'lambdas/orders/user-status.ts',
    from: "const step = process.env[OrdersEnv.USER_STATUSES] ?? 'apart'",
    to: `const step = (${EITHER} ? '${first}' : '${second}') as string`,
  });

  test.each<readonly [string, Omit<Played, 'name' | 'of'>]>([
    ['functions of the first step and of the second are there', { source: stores('apart', 'both') }],
    ['all are of the second step', {}],
    ['functions of the second step and of the third are there', { source: stores('both', 'listed') }],
  ])('every promise is kept while %s', async (name, change) => {
    expectKept(await play(userRaces, { name, of: nextReleaseAssembly, ...change }));
  });

  test('a release that leaves the second step out is found', async () => {
    const change = { of: nextReleaseAssembly, source: stores('apart', 'listed') };
    const found = new Set<string>();
    // In some histories chance lets the functions of one release handle each status.
    for (let seed = 0; seed < 5 && found.size === 0; seed++) {
      const { violations } = await play(userRaces, { name: 'no second step', ...change }, String(seed));
      for (const { invariant } of violations) found.add(invariant);
    }
    expect([...found]).not.toEqual([]);
  });
});

describe('the list of exhausted accounts receives every event, then one that accounts tell', () => {
  const TOLD = ['ExhaustedAccountChanged'];
  const tells: NonNullable<Change['source']> = {
    file: 'lambdas/accounts/aggregates.ts',
    from: "requireEnv(AccountsEnv.TELLS_EXHAUSTION) === 'true'",
    to: EITHER,
  };

  test.each<readonly [string, Omit<Played, 'name'>]>([
    ['functions of the first step and of the second are there', { source: tells }],
    ['all are of the second step', { of: nextReleaseAssembly }],
  ])('every promise is kept while %s', async (name, change) => {
    const history = await play(creditEnds, { name, ...change });
    expectKept(history);
    expect(findWritten(history, TOLD)).toEqual(TOLD);
  });
});
