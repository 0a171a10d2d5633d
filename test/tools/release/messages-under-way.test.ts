import { expect, test } from 'vitest';
import {
  TICKETS,
  type TicketRelease,
  writeTicketRelease,
} from '../../../packages/simulator/support/ticket-releases.js';
import { judge } from '../../../tools/release/check/findings.js';
import { playWork } from '../../../tools/release/check/messages-under-way.js';
import { render } from '../../../tools/release/release-check.js';

const before = writeTicketRelease();
const played = (after: TicketRelease) => playWork('prod', { before, after: writeTicketRelease(after) }, TICKETS);
const RELEASE = { version: '0.3.0', commit: '0' };

test('a release that loses no work is green, and says how much it was tried with', async () => {
  const { findings, ...orders } = await played({});
  expect(findings).toEqual([]);
  expect(render(RELEASE, [], judge(findings, [], ['prod']), orders)).toMatch(
    /^prod: 13 orders went through 3 sets of old and new stacks, with \d+ messages on their way\nAWS takes this release/,
  );
});

test('a release that strands work is red, with the set, the piece of work, and the message', async () => {
  const { findings, ...orders } = await played({ needs: 'price' });
  const verdict = judge(findings, [], ['prod']);
  expect(verdict.red.length).toBeGreaterThan(0);
  expect(render(RELEASE, [], verdict, orders)).toMatch(
    /^RED work-stuck, prod: ticket-\d+\.\n {4}it was never worked off; left: Taken ticket-\d+\.\/taken in Desk\/Letters.* \(when every stack is new\)\n {4}mend: let both releases answer/,
  );
});

test.each<[string, TicketRelease]>([
  ['work-lost', { publishes: 'TicketTaken' }],
  ['work-twice', { records: 'HANDLED#' }],
])('%s is red as well', async (kind, release) => {
  const { findings } = await played(release);
  expect(judge(findings, [], ['prod']).red.map((one) => one.kind)).toContain(kind);
});

test('a deployment that met no message shows nothing, and is red', async () => {
  const nothing = {
    ...TICKETS,
    begin: async (_: unknown, number: number) => `ticket-${number}.`,
    check: async () => [],
  };
  const { findings } = await playWork('prod', { before, after: before }, nothing);
  expect(findings.map(({ kind, where }) => `${kind}: ${where}`)).toEqual([
    'unknown-set: deployment 1 of 2',
    'unknown-set: deployment 2 of 2',
  ]);
});
