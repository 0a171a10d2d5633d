import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_ROUND_SIZE, splitInHalf, splitIntoRounds } from '../../../packages/kit/lane/rounds.js';

const request = (id: string, subject = `Saga/${id}`) => ({ message: { id, source: 'app.saga', subject } });
const idsOf = (rounds: ReturnType<typeof splitIntoRounds>) =>
  rounds.map((round) => round.map(({ message: { id } }) => id));

test('two publishers with one id are two requests of a round', () => {
  const requests = [request('42'), { message: { ...request('42').message, source: 'app.other', subject: 'Saga/b' } }];
  expect(splitIntoRounds(requests)).toEqual([requests]);
});

test('30 requests make one round, and the 31st begins another one', () => {
  const requests = Array.from({ length: MAX_ROUND_SIZE + 1 }, (_, at) => request(`m${at}`));
  expect(splitIntoRounds(requests).map(({ length }) => length)).toEqual([30, 1]);
});

test('two messages about one subject are in two rounds, and a repeated message is in none', () => {
  const requests = [request('m1', 'Saga/a'), request('m2', 'Saga/a'), request('m3'), request('m1', 'Saga/a')];
  expect(idsOf(splitIntoRounds(requests))).toEqual([['m1', 'm3'], ['m2']]);
});

test('each message is in exactly one round, and those of one subject keep their order', () => {
  const some = fc.array(fc.record({ id: fc.nat(40).map(String), subject: fc.nat(8).map((one) => `Saga/${one}`) }));
  fc.assert(
    fc.property(some, (messages) => {
      const first = [...new Map(messages.toReversed().map((message) => [message.id, message])).values()];
      const rounds = splitIntoRounds(first.map(({ id, subject }) => request(id, subject)));
      const all = rounds.flat().map(({ message }) => message);
      expect(all.map(({ id }) => id).toSorted()).toEqual(first.map(({ id }) => id).toSorted());
      for (const round of rounds) {
        expect(round.length).toBeLessThanOrEqual(MAX_ROUND_SIZE);
        expect(new Set(round.map(({ message }) => message.subject)).size).toBe(round.length);
      }
      for (const { subject } of first) {
        const idsIn = (list: typeof first) => list.filter((one) => one.subject === subject).map(({ id }) => id);
        expect(idsIn(all)).toEqual(idsIn(first));
      }
    }),
  );
});

test.each([
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
  [
    [1, 2],
    [[1], [2]],
  ],
])('halves of %j', (round, halves) => expect(splitInHalf(round)).toEqual(halves));
