import { expect, test } from 'vitest';
import { Random } from './random.js';
import { NeverSettles, World } from './world.js';

test('what is planned happens in the order of its times, at one moment in the order of planning', async () => {
  const world = new World({ seed: '1' });
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

test('what is cancelled does not happen, and background work keeps nobody waiting', async () => {
  const world = new World({ seed: '1' });
  const happened: string[] = [];
  world.after(5, () => happened.push('cancelled')).cancel();
  world.afterInBackground(1_000, () => happened.push('background'));
  world.after(10, () => happened.push('work'));
  await world.settle();
  expect(happened).toEqual(['work']);
  await world.pass(2_000);
  expect(happened).toEqual(['work', 'background']);
});

test('code that was woken runs until nothing moves, before the next thing happens', async () => {
  const world = new World({ seed: '1' });
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
  const world = new World({ seed: '1', limit: 100 });
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
