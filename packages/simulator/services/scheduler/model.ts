import type { Resource } from '../../assembly/assembly.js';
import { type AccountAndRegion, identifyResource } from '../../assembly/identity.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop, Planned } from '../../engine/event-loop.js';
import { DELIVERY_FAULTS, type FaultPlan } from '../../engine/faults.js';
import { NotModelled } from '../../wire/operation.js';
import { readExpression, type ScheduleTimes } from '../events/schedule-expression.js';
import type { ServiceCall } from '../states/tasks.js';
import { type ScheduleTarget, ScheduleTargets, type TargetAccount } from './targets.js';

/** EventBridge Scheduler User Guide, "Schedule types": a schedule has a precision of 60 seconds. */
const PRECISION = 59_999;
/** EventBridge Scheduler API Reference, "RetryPolicy": 24 hours and 185 times by default. */
const MAX_AGE_SECONDS = 86_400;
const MAX_RETRIES = 185;
const UNREACHABLE_FOR = 90_000;

/** Properties of a schedule, of a template or of CreateSchedule. */
export interface ScheduleProperties {
  readonly ScheduleExpression?: string;
  readonly ScheduleExpressionTimezone?: string;
  /** ISO 8601 in a template, seconds since 1970 in a request. */
  readonly StartDate?: string | number;
  readonly EndDate?: string | number;
  readonly State?: string;
  readonly FlexibleTimeWindow?: { readonly Mode?: string; readonly MaximumWindowInMinutes?: number };
  readonly Target?: ScheduleTarget;
  readonly ActionAfterCompletion?: string;
}

/** A schedule with its next time. */
export interface Schedule {
  readonly resource: Resource;
  readonly group: string;
  readonly name: string;
  readonly properties: ScheduleProperties;
  readonly times: ScheduleTimes;
  readonly createdAt: number;
  /** Token of the request that made it: the same request again has the same token. */
  readonly clientToken: string | undefined;
  planned: Planned | undefined;
}

/** An invocation of a schedule that is under way. */
interface Invocation {
  readonly id: string;
  readonly scheduledAt: number;
  readonly begun: number;
  readonly attempt: number;
  readonly downUntil: number;
}

/**
 * Schedules of EventBridge Scheduler. A schedule invokes its target at least once for each of its times. EventBridge Scheduler User Guide.
 */
export class Scheduler {
  private readonly schedules = new Map<string, Schedule>();
  private readonly targets: ScheduleTargets;
  private invocations = 0;

  constructor(
    private readonly around: TargetAccount & {
      readonly world: EventLoop;
      readonly faults: FaultPlan;
      readonly home: AccountAndRegion;
      readonly call: ServiceCall;
    },
  ) {
    this.targets = new ScheduleTargets(around);
    around.world.onRest(() => this.resumeAll());
  }

  /** Adds a schedule of a template. @throws {NotModelled} names what has no model */
  add(resource: Resource): void {
    const group = String(resource.properties.GroupName ?? 'default');
    this.enter(resource, group, resource.ref, resource.properties as JsonObject & ScheduleProperties, undefined);
  }

  list(): readonly Schedule[] {
    return [...this.schedules.values()];
  }

  find(group: string, name: string): Schedule | undefined {
    return this.schedules.get(`${group}/${name}`);
  }

  /** Adds a schedule that a client creates, or replaces one. @throws {NotModelled} names what has no model */
  put(group: string, name: string, properties: ScheduleProperties, clientToken: string | undefined): Schedule {
    const type = 'AWS::Scheduler::Schedule';
    const identity = identifyResource(type, name, { GroupName: group }, this.around.home);
    // All schedules that clients create at run time are one owner of faults: their names are often random.
    const label = `schedules of ${group}`;
    const resource = { ...identity, stack: '', logicalId: name, type, label, properties: {} };
    this.find(group, name)?.planned?.cancel();
    return this.enter(resource, group, name, properties, clientToken);
  }

  remove({ group, name, planned }: Schedule): void {
    planned?.cancel();
    this.schedules.delete(`${group}/${name}`);
  }

  private enter(
    resource: Resource,
    group: string,
    name: string,
    properties: ScheduleProperties,
    clientToken: string | undefined,
  ): Schedule {
    const { world } = this.around;
    const { ScheduleExpression = '', ScheduleExpressionTimezone: zone = 'UTC', StartDate, Target } = properties;
    if (!Target) throw new NotModelled('a schedule without a target');
    this.targets.check(Target);
    const begins = StartDate === undefined ? world.now : Math.max(world.now, toMilliseconds(StartDate));
    const times = readExpression(ScheduleExpression, zone, begins);
    const planned = undefined;
    const schedule = { resource, group, name, properties, times, createdAt: world.now, clientToken, planned };
    this.schedules.set(`${group}/${name}`, schedule);
    if (properties.State !== 'DISABLED') this.plan(schedule, begins);
    return schedule;
  }

  /** Lets every tick come again after a wait in which they came less often. */
  private resumeAll(): void {
    const { now } = this.around.world;
    for (const schedule of this.schedules.values()) {
      const { planned, times } = schedule;
      if (times.isOnce || !planned || planned.at <= (times.next(now + 1) ?? planned.at)) continue;
      planned.cancel();
      this.plan(schedule, now + 1);
    }
  }

  private plan(schedule: Schedule, from: number): void {
    const { world } = this.around;
    const { times, properties } = schedule;
    const end = properties.EndDate === undefined ? Number.POSITIVE_INFINITY : toMilliseconds(properties.EndDate);
    const spaced = times.next(times.isOnce ? from : Math.max(from, world.now + world.tickSpacing));
    // The last ticks before the end come as they are, since the next spaced one would come too late.
    const at = spaced !== undefined && spaced <= end ? spaced : times.next(from);
    if (at === undefined || at > end) {
      // "Automatic deletion after schedule completion".
      if (properties.ActionAfterCompletion === 'DELETE') this.remove(schedule);
      return;
    }
    const { label } = schedule.resource;
    const come = (): void => {
      if (!times.isOnce) world.countTick(label, false);
      this.invoke(schedule, at);
      this.plan(schedule, at + 1);
    };
    // The end of a history waits for what comes once; what comes again and again has no end.
    schedule.planned = times.isOnce
      ? world.after(at - world.now, come, `${label}: a schedule that comes once`)
      : world.afterInBackground(at - world.now, come);
  }

  private invoke(schedule: Schedule, scheduledAt: number): void {
    const { world, faults } = this.around;
    const { resource, properties } = schedule;
    const id = `${resource.label} delivery ${++this.invocations}`;
    const fault = faults.faultAt({ id, kinds: DELIVERY_FAULTS });
    world.note(`${id} of ${schedule.name}${fault ? ` FAULT ${fault}` : ''}`);
    world.tell(() => ({ kind: 'timer', owner: resource.label, id, outcome: 'began', ...(fault && { fault }) }));
    if (fault === 'lost') return;
    const { Mode, MaximumWindowInMinutes = 0 } = properties.FlexibleTimeWindow ?? {};
    const window = Mode === 'FLEXIBLE' ? MaximumWindowInMinutes * 60_000 : 0;
    const delay = world.latency((random) => random.between(0, PRECISION + window));
    const down =
      fault === 'undeliverable' ? 2 * MAX_AGE_SECONDS * 1000 : fault === 'undeliverable-at-first' ? UNREACHABLE_FOR : 0;
    const begun = world.now + delay;
    const invocation = { id, scheduledAt, begun, attempt: 1, downUntil: down > 0 ? begun + down : 0 };
    world.after(delay, () => this.attempt(schedule, invocation));
    if (fault === 'delivered-twice')
      world.after(delay + 30_000, () => this.attempt(schedule, { ...invocation, downUntil: 0 }));
  }

  private attempt(schedule: Schedule, invocation: Invocation): void {
    const { world } = this.around;
    const { id, attempt, begun, downUntil, scheduledAt } = invocation;
    const target = schedule.properties.Target as ScheduleTarget;
    const error =
      world.now < downUntil
        ? 'simulated: the target cannot be reached'
        : this.targets.invoke(schedule.resource, target, { scheduledAt, attempt, execution: world.random.id() });
    if (error === undefined) {
      world.tell(() => ({
        kind: 'delivery',
        owner: schedule.resource.label,
        id,
        target: target.Arn,
        outcome: 'delivered',
      }));
      return;
    }
    const { MaximumEventAgeInSeconds: age = MAX_AGE_SECONDS, MaximumRetryAttempts: most = MAX_RETRIES } =
      target.RetryPolicy ?? {};
    const wait = Math.min(1_000 * 2 ** attempt, 900_000);
    if (attempt > most || world.now + wait - begun > age * 1000) {
      const isSaved = this.targets.saveDeadLetter(schedule.resource, target, error, attempt);
      world.note(`${id} given up${isSaved ? '' : ' and LOST'}: ${error}`);
      const outcome = isSaved ? 'given up' : 'lost';
      world.tell(() => ({ kind: 'delivery', owner: schedule.resource.label, id, target: target.Arn, outcome }));
      return;
    }
    world.after(wait, () => this.attempt(schedule, { ...invocation, attempt: attempt + 1 }));
  }
}

const toMilliseconds = (time: string | number): number => (typeof time === 'number' ? time * 1000 : Date.parse(time));
