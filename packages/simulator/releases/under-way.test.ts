import { expect, test } from 'vitest';
import { TICKETS, type TicketRelease, writeTicketRelease } from '../support/ticket-releases.js';
import { listMixedSets, mixAssembly } from './mixed-sets.js';
import { playMixedSets } from './under-way.js';

const before = writeTicketRelease();
const played = (after: TicketRelease) => playMixedSets({ before, after: writeTicketRelease(after) }, TICKETS);

test('a deployment of n stacks leaves n + 1 sets, and each set has the templates and the code of its releases', () => {
  const after = writeTicketRelease({ publishes: 'TicketTaken' });
  const sets = listMixedSets({ before, after });
  expect(sets).toEqual([
    { fresh: [], old: ['Shop', 'Desk'] },
    { fresh: ['Shop'], old: ['Desk'] },
    { fresh: ['Shop', 'Desk'], old: [] },
  ]);
  const seen = sets.map((set) => {
    const assembly = mixAssembly({ before, after }, set);
    const { EventPattern } = assembly.findByType('AWS::Events::Rule')[0]!.properties;
    const isNew = (id: string): boolean => {
      const found = assembly.resources.find(({ logicalId }) => logicalId === id);
      return assembly.assetFolder(found?.properties.Code).startsWith(after);
    };
    return [(EventPattern as { 'detail-type': string })['detail-type'], isNew('Take'), isNew('Work')];
  });
  expect(seen).toEqual([
    [['Taken'], false, false],
    [['Taken'], true, false],
    [['TicketTaken'], true, true],
  ]);
});

test('work that is on its way while compatible stacks are deployed ends once', async () => {
  const { sets, works, underWay, troubles } = await played({});
  expect(troubles).toEqual([]);
  expect({ sets, works }).toEqual({ sets: 3, works: 3 + 2 * 5 });
  expect(underWay.filter((count) => count === 0)).toEqual([]);
});

const NEW_SHOP = 'Shop is new, Desk is old';

test('an event that the old stacks do not know is lost, in the set in which its publisher is new', async () => {
  const { troubles } = await played({ publishes: 'TicketTaken' });
  expect(troubles.map(({ kind, set }) => [kind, set])).toContainEqual(['lost', NEW_SHOP]);
});

test('a queue with another name loses the messages that wait in the old one, and they are named', async () => {
  const { troubles } = await played({ queue: 'Tasks' });
  const lost = troubles.filter(({ kind }) => kind === 'lost');
  expect(lost.map(({ set }) => set)).toContain('every stack is new');
  const [message] = lost.flatMap(({ messages }) => messages);
  expect(message?.where).toMatch(/^Desk\/(Queue|Rule)$/);
  expect(message?.text).toContain(lost[0]?.work);
});

test('a consumer that no longer recognises what was done does it twice, when a client repeats its request', async () => {
  const { troubles } = await played({ records: 'HANDLED#' });
  expect(new Set(troubles.map(({ kind, set }) => `${kind}: ${set}`))).toEqual(new Set(['twice: every stack is new']));
});

test('a consumer that can not read what the earlier release has sent leaves it in the dead-letter queue', async () => {
  const { troubles } = await played({ needs: 'price' });
  expect(new Set(troubles.map(({ kind, set }) => `${kind}: ${set}`))).toEqual(new Set(['stuck: every stack is new']));
  expect(new Set(troubles[0]?.messages.map(({ where }) => where))).toEqual(new Set(['Desk/Letters']));
});
