import { expect, test } from 'vitest';
import { EventLoop } from './event-loop.js';
import { NeverSettles } from './never-settles.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Starts a schedule that ticks each minute. @returns the times of its ticks, milliseconds since the start */
function everyMinute(world: EventLoop, name: string, tick: () => void = () => undefined): number[] {
  const ticks: number[] = [];
  const plan = (): void => {
    const spacing = Math.max(MINUTE, world.tickSpacing);
    world.afterInBackground(spacing, () => {
      world.countTick(name, false);
      ticks.push(world.now - world.begins);
      tick();
      plan();
    });
  };
  plan();
  return ticks;
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.unreachable('it ended'),
    (error: Error) => error,
  );
}

test('a wait of two weeks has a tick each minute for an hour, one each hour for a week, and then one each day', async () => {
  const world = new EventLoop({ seed: '1' });
  const ticks = everyMinute(world, 'Shop/Sweep');
  world.after(14 * DAY, () => undefined);
  await world.settle();
  expect(ticks.filter((at) => at <= HOUR)).toHaveLength(60);
  expect(ticks.filter((at) => at > HOUR && at <= 7 * DAY)).toHaveLength(7 * 24 - 1);
  expect(ticks.filter((at) => at > 7 * DAY)).toHaveLength(6);
  expect(world.tickSpacing).toBe(0);
});

test('a wait that ticks of a schedule prolong without end is an error that names what is awaited, and the schedule', async () => {
  const world = new EventLoop({ seed: '1' });
  everyMinute(world, 'Shop/Sweep', () => world.after(3 * DAY, () => undefined, 'Shop/Work: a pause of three days'));
  everyMinute(world, 'Shop/Look');
  world.after(1, () => undefined);
  world.after(30 * MINUTE, () => undefined);
  const { name, message } = await failure(world.settle());
  expect(name).toBe('NeverSettles');
  expect(message).toContain('still awaited: Shop/Work: a pause of three days in ');
  expect(message).toContain('schedules that ticked meanwhile: Shop/Sweep (1001 times), Shop/Look (1000 times)');
  expect(world.events).toBeLessThan(5_000);
});

test('awaited ticks of which each awaits the next one are an error after 100 days', async () => {
  const world = new EventLoop({ seed: '1' });
  const tick = (): void => {
    world.after(
      8 * HOUR,
      () => {
        world.countTick('Shop/Close', true);
        tick();
      },
      'Shop/Close: a tick that was said to find work',
    );
  };
  tick();
  const { message } = await failure(world.settle());
  expect(message).toMatch(/^after 100 days .*still awaited: Shop\/Close: a tick that was said to find work now/);
});

test('one awaited tick in the far future is no error', async () => {
  const world = new EventLoop({ seed: '1' });
  world.after(400 * DAY, () => world.countTick('Shop/Close', true));
  await world.settle();
  expect(world.now - world.begins).toBe(400 * DAY);
});

test('a condition that never holds while schedules tick is an error, and each tick comes', async () => {
  const world = new EventLoop({ seed: '1' });
  const ticks = everyMinute(world, 'Shop/Sweep');
  const { message } = await failure(world.until(() => false));
  expect(message).toContain('schedules that ticked meanwhile: Shop/Sweep (20001 times)');
  expect(ticks).toHaveLength(20_000);
});

test('time that a scenario passes has all of its ticks', async () => {
  const world = new EventLoop({ seed: '1' });
  const ticks = everyMinute(world, 'Shop/Sweep');
  await world.pass(8 * DAY);
  expect(ticks).toHaveLength(8 * 24 * 60);
});

test('a history without an end is an error that names the soonest of what is awaited, alike work once, and what came last', async () => {
  const world = new EventLoop({ seed: '1', limit: 1_000 });
  for (let number = 0; number < 4; number++)
    world.after(2 * DAY + number, () => undefined, 'Shop/Queue: a message becomes visible');
  world.after(5 * DAY, () => undefined);
  const again = (): void => {
    world.note('Shop/Work call 12 happens');
    world.after(500, again, 'Shop/Work: a timer of its code');
  };
  again();
  const error = await failure(world.settle());
  expect(error).toBeInstanceOf(NeverSettles);
  expect(error.message).toBe(
    '1000 events, and still something to do; still awaited: Shop/Work: a timer of its code in 500 ms, ' +
      'Shop/Queue: a message becomes visible in 2 days, and 3 more, work that has begun in 5 days; ' +
      'at last: Shop/Work call (300 times)',
  );
});
