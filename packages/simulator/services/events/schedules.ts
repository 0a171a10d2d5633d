import type { EventLoop, Planned } from '../../engine/event-loop.js';
import { NotModelled } from '../../wire/operation.js';
import { readExpression } from './schedule-expression.js';

/** A scheduled rule, and what a tick does. */
export interface ScheduledRule {
  readonly label: string;
  /** `rate(5 minutes)`, `cron(0 2 * * ? *)` in UTC */
  readonly expression: string;
  tick(): void;
}

/**
 * Returns the time at which a tick of a rule is expected to find work, milliseconds since 1970; `undefined` if none is
 * expected.
 * @param rule path of its construct
 */
export type NextWorkAt = (rule: string) => number | undefined;

/**
 * Scheduled rules. AWS, "Creating a scheduled rule (legacy) in Amazon EventBridge": `rate(value unit)`, from the rule's
 * creation on, and `cron(...)` in UTC, to the minute.
 *
 * By default a rule ticks in the background, forever: a history of weeks has tens of thousands of ticks that find
 * nothing, and it ends before the effects of later ticks. If a scenario sets `nextWorkAt`, ticks that would find nothing
 * are skipped, and the end of the history waits for those that find something.
 */
export class Schedules {
  /** Called at the minute after each write of a function, and at each time that it returned. */
  nextWorkAt: NextWorkAt | undefined;
  /** Least milliseconds between two ticks of a rule, for time that is passed at once. @default 0: each tick comes */
  spacing = 0;
  private readonly schedules = new Set<Schedule>();

  constructor(private readonly world: EventLoop) {
    world.onRest(() => this.resumeAll());
  }

  /** @returns a function that ends the rule's ticks @throws {NotModelled} if its expression has no model */
  add(rule: ScheduledRule): () => void {
    const schedule = new Schedule(rule, this.world, this);
    this.schedules.add(schedule);
    return () => {
      this.schedules.delete(schedule);
      schedule.end();
    };
  }

  /** Lets every tick come again, after a time in which only some did. */
  resume(): void {
    this.nextWorkAt = undefined;
    this.spacing = 0;
    for (const schedule of this.schedules) schedule.resume();
  }

  /** Lets every tick come again after a wait in which they came less often. */
  private resumeAll(): void {
    if (this.nextWorkAt || this.spacing > 0) return;
    for (const schedule of this.schedules) if (schedule.isLate) schedule.resume();
  }

  /** Paths of the constructs of the rules that tick. */
  get labels(): readonly string[] {
    return [...this.schedules].map(({ label }) => label);
  }

  /** Returns when each rule ticks next, milliseconds since 1970, by its construct's path. */
  listNext(): readonly { readonly rule: string; readonly at: number }[] {
    return [...this.schedules].flatMap(({ label, nextAt }) =>
      nextAt === undefined ? [] : [{ rule: label, at: nextAt }],
    );
  }

  /** Checks the awaited time again after a write, which may have changed it. */
  replan(): void {
    for (const schedule of this.schedules) schedule.look();
  }
}

class Schedule {
  /** Returns its first tick at or after a moment; nothing if there is none. */
  private readonly atOrAfter: (moment: number) => number | undefined;
  private next: (Planned & { readonly awaited: boolean }) | undefined;

  constructor(
    private readonly rule: ScheduledRule,
    private readonly world: EventLoop,
    private readonly all: Schedules,
  ) {
    this.atOrAfter = readTicks(rule, world);
    this.plan(this.atOrAfter(world.now), false);
  }

  get label(): string {
    return this.rule.label;
  }

  get nextAt(): number | undefined {
    return this.next?.at;
  }

  /** Whether its next tick comes later than its rate says. */
  get isLate(): boolean {
    return this.next !== undefined && this.next.at > (this.atOrAfter(this.world.now + 1) ?? this.next.at);
  }

  resume(): void {
    this.plan(this.atOrAfter(this.world.now + 1), false);
  }

  look(): void {
    if (!this.all.nextWorkAt) return;
    const soonest = this.atOrAfter(this.world.now + 1);
    if (soonest === undefined || (this.next?.awaited && this.next.at <= soonest)) return;
    this.plan(soonest, true);
  }

  end(): void {
    this.next?.cancel();
  }

  private come(): void {
    this.next = undefined;
    const { world } = this;
    const { nextWorkAt, spacing } = this.all;
    const moment = nextWorkAt?.(this.rule.label);
    // No tick is planned until a write makes one necessary, nor for work that no tick has done for this long.
    if (nextWorkAt && (moment === undefined || moment < world.now - GIVEN_UP)) return;
    if (moment === undefined || moment <= world.now) {
      world.countTick(this.label, nextWorkAt !== undefined);
      this.rule.tick();
    }
    const apart = nextWorkAt ? spacing : Math.max(spacing, world.tickSpacing);
    this.plan(this.atOrAfter(Math.max(world.now + 1, world.now + apart, moment ?? 0)), moment !== undefined);
  }

  /** @param awaited whether the history's end waits for this tick */
  private plan(at: number | undefined, awaited: boolean): void {
    const { world } = this;
    this.next?.cancel();
    this.next = undefined;
    if (at === undefined) return;
    const come = (): void => this.come();
    const delay = at - world.now;
    const about = `${this.label}: a tick that was said to find work`;
    const planned = awaited ? world.after(delay, come, about) : world.afterInBackground(delay, come);
    this.next = { at, awaited, cancel: () => planned.cancel() };
  }
}

/** Ends a history in which ticks don't do the awaited work: longer than any outage that ends within a day. */
const GIVEN_UP = 2 * 86_400_000;

const ONE_MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** @throws {NotModelled} for what AWS refuses, and for `W` and `#` */
function readTicks(rule: ScheduledRule, world: EventLoop): (moment: number) => number | undefined {
  // Rules are created one after the other, so they don't tick at the same time.
  const random = world.random.fork(`schedule ${rule.label}`);
  if (rule.expression.startsWith('cron(')) {
    const times = readCron(rule);
    const within = random.between(0, ONE_MINUTE - 1);
    return (moment) => {
      const minute = times.next(moment - within);
      return minute === undefined ? undefined : minute + within;
    };
  }
  const period = parseRate(rule);
  const begins = world.now + random.between(0, period - 1);
  return (moment) => begins + Math.max(0, Math.ceil((moment - begins) / period)) * period;
}

function readCron(rule: ScheduledRule): ReturnType<typeof readExpression> {
  try {
    return readExpression(rule.expression, 'UTC', 0);
  } catch (error) {
    throw error instanceof NotModelled ? notModelled(rule) : error;
  }
}

const notModelled = ({ label, expression }: ScheduledRule): NotModelled =>
  new NotModelled(`${label}: the schedule ${expression} isn't modelled`);

function parseRate(rule: ScheduledRule): number {
  const [, value = '', unit = '', plural] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(rule.expression) ?? [];
  if (value === '' || (value === '1') === (plural === 's')) throw notModelled(rule);
  return Number(value) * (UNITS[unit] ?? Number.NaN);
}
