import { expect, test } from 'vitest';
import { EventLoop } from './event-loop.js';
import { NeverSettles } from './never-settles.js';
import { Random } from './random.js';

test('planned work happens in the order of its times, at one moment in the order of planning', async () => {
  const world = new EventLoop({ seed: '1' });
  const happened: string[] = [];
  const begun = world.now;
  world.after(20, () => happened.push(`third at ${world.now - begun}`));
  world.after(10, () => happened.push(`first at ${world.now - begun}`));
  world.after(10, () => {
    happened.push('second');
    world.after(0, () => happened.push('at once after it'));
  });
  await world.settle();
  expect(happened).toEqual(['first at 10', 'second', 'at once after it', 'third at 20']);
});

test('cancelled work does not happen, and background work does not delay the end', async () => {
  const world = new EventLoop({ seed: '1' });
  const happened: string[] = [];
  world.after(5, () => happened.push('cancelled')).cancel();
  world.afterInBackground(1_000, () => happened.push('background'));
  world.after(10, () => happened.push('work'));
  await world.settle();
  expect(happened).toEqual(['work']);
  await world.pass(2_000);
  expect(happened).toEqual(['work', 'background']);
});

test('cancelled work leaves the memory before its time comes, and the rest keeps its order', async () => {
  const world = new EventLoop({ seed: '1' });
  const happened: number[] = [];
  for (let order = 0; order < 50_000; order++) {
    world.after(86_400_000, () => happened.push(-1)).cancel();
    if (order % 1_000 === 0) world.after(order % 7, () => happened.push(order));
  }
  expect(world.kept).toBeLessThan(2_500);
  await world.settle();
  const planned = Array.from({ length: 50 }, (_, at) => at * 1_000);
  expect(happened).toEqual(planned.toSorted((one, other) => (one % 7) - (other % 7) || one - other));
});

test('work that happened, or was cancelled twice, does not count as cancelled work in memory', async () => {
  const world = new EventLoop({ seed: '1' });
  for (let round = 0; round < 3; round++) {
    const planned = Array.from({ length: 1_500 }, () => world.after(round, () => undefined));
    for (const one of planned.slice(0, 400)) one.cancel();
    await world.settle();
    for (const one of planned) one.cancel();
    expect(world.kept).toBe(0);
  }
  const left = Array.from({ length: 1_500 }, () => world.after(1, () => undefined));
  for (const one of left.slice(0, 900)) one.cancel();
  expect(world.kept).toBe(1_500);
  for (const one of left.slice(900, 1_100)) one.cancel();
  expect(world.kept).toBeLessThan(1_500);
});

test('a live world remembers the newest records of the past, and evidence for invariants only if asked to', () => {
  const kept = (world: EventLoop) =>
    [world.records<number>(), world.evidence<number>()].map((list) => {
      for (let at = 0; at < 30_000; at++) list.push(at);
      return [list.length, list.at(-1)];
    });
  expect(kept(new EventLoop({ seed: '1' }))).toEqual([
    [30_000, 29_999],
    [30_000, 29_999],
  ]);
  const [records, evidence] = kept(new EventLoop({ seed: '1', isLive: true }));
  expect(records?.[0]).toBeLessThanOrEqual(10_000);
  expect(records?.[1]).toBe(29_999);
  expect(evidence).toEqual([0, undefined]);
  const [, asked] = kept(new EventLoop({ seed: '1', isLive: true, historyLimit: 100 }));
  expect(asked?.[0]).toBeGreaterThanOrEqual(50);
  expect(asked?.[0]).toBeLessThanOrEqual(100);
});

test('code that was woken runs until nothing moves, before the next thing happens', async () => {
  const world = new EventLoop({ seed: '1' });
  const happened: string[] = [];
  world.after(1, () => {
    world.enter();
    void (async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => process.nextTick(resolve));
      happened.push('woken');
    })();
  });
  world.after(2, () => happened.push('next'));
  await world.settle();
  expect(happened).toEqual(['woken', 'next']);
});

test('a history without end is an error, not a hanging test', async () => {
  const world = new EventLoop({ seed: '1', limit: 100 });
  const again = (): void => void world.after(1, again);
  again();
  await expect(world.settle()).rejects.toThrow(NeverSettles);
});

test('one seed gives one series of numbers, forks have their own', () => {
  const series = (random: Random) => Array.from({ length: 5 }, () => random.bits());
  expect(series(new Random('a'))).toEqual(series(new Random('a')));
  expect(series(new Random('a'))).not.toEqual(series(new Random('b')));
  const parent = new Random('a');
  parent.bits();
  expect(series(parent.fork('x'))).toEqual(series(new Random('a').fork('x')));
});

test('numbers fill their range evenly enough', () => {
  const random = new Random('even');
  const counts = [0, 0, 0, 0];
  for (let draw = 0; draw < 40_000; draw++) counts[random.between(0, 3)]! += 1;
  for (const count of counts) expect(count).toBeGreaterThan(9_500);
});
