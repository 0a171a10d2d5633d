import type { Planned, World } from '../world/world.js';

/** A rule that ticks, and what a tick does. */
export interface ScheduledRule {
  readonly label: string;
  /** `rate(5 minutes)` */
  readonly expression: string;
  tick(): void;
}

/** When somebody expects a tick to find something to do, milliseconds since 1970; nothing where nobody does. */
export type Awaits = () => number | undefined;

/**
 * Rules that tick. AWS, "Creating a scheduled rule (legacy) in Amazon EventBridge": `rate(value unit)`, from the rule's
 * creation on, to the minute.
 *
 * By itself a rule ticks in the background, for ever: a history of weeks has ten thousands of ticks that find nothing, and
 * its end comes before what a later tick would do. Where a scenario sets `awaits`, ticks that would find nothing are left
 * out, and the end waits for those that find something.
 */
export class Schedules {
  /** Asked at the minute after each write of a function, and at each moment that it named. */
  awaits: Awaits | undefined;
  private readonly schedules: readonly Schedule[];

  constructor(rules: readonly ScheduledRule[], world: World) {
    this.schedules = rules.map((rule) => new Schedule(rule, world, () => this.awaits));
  }

  /** Something was written, so that what is awaited may be another. */
  look(): void {
    for (const schedule of this.schedules) schedule.look();
  }
}

class Schedule {
  private readonly period: number;
  private readonly begins: number;
  private next: (Planned & { readonly awaited: boolean }) | undefined;

  constructor(
    private readonly rule: ScheduledRule,
    private readonly world: World,
    private readonly awaits: () => Awaits | undefined,
  ) {
    this.period = periodOf(rule);
    // Rules are made one after the other: they don't tick at the same moments.
    this.begins = world.now + world.random.fork(`schedule ${rule.label}`).between(0, this.period - 1);
    this.plan(this.begins, false);
  }

  look(): void {
    if (!this.awaits()) return;
    const soonest = this.atOrAfter(this.world.now + 1);
    if (this.next?.awaited && this.next.at <= soonest) return;
    this.plan(soonest, true);
  }

  private come(): void {
    this.next = undefined;
    const { world } = this;
    const awaits = this.awaits();
    const moment = awaits?.();
    // Until something is written nobody awaits anything, nor what no tick has done for so long.
    if (awaits && (moment === undefined || moment < world.now - GIVEN_UP)) return;
    if (moment === undefined || moment <= world.now) this.rule.tick();
    this.plan(this.atOrAfter(Math.max(world.now + 1, moment ?? 0)), moment !== undefined);
  }

  /** @param awaited whether a history's end waits for it */
  private plan(at: number, awaited: boolean): void {
    const { world } = this;
    this.next?.cancel();
    const come = (): void => this.come();
    const delay = at - world.now;
    const planned = awaited ? world.after(delay, come) : world.afterInBackground(delay, come);
    this.next = { at, awaited, cancel: () => planned.cancel() };
  }

  private atOrAfter(moment: number): number {
    return this.begins + Math.max(0, Math.ceil((moment - this.begins) / this.period)) * this.period;
  }
}

/** So that a history has an end where ticks don't do what is awaited: longer than any outage that heals within a day. */
const GIVEN_UP = 2 * 86_400_000;

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** @throws {Error} for `cron(...)`, which isn't modelled, and for what AWS refuses */
function periodOf({ label, expression }: ScheduledRule): number {
  const [, value = '', unit = '', plural] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  if (value === '' || (value === '1') === (plural === 's')) {
    throw new Error(`${label}: the schedule ${expression} isn't modelled`);
  }
  return Number(value) * (UNITS[unit] ?? Number.NaN);
}
