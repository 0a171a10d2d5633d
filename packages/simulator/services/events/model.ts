import type { Assembly } from '../../assembly/assembly.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { DELIVERY_FAULTS, type FaultPlan } from '../../engine/faults.js';
import { factsOf } from '../../engine/happenings.js';
import { matches } from '../../patterns/matches.js';
import type { Iam } from '../iam/model.js';
import type { MessageAttribute, Queue } from '../sqs/model.js';
import { offer } from '../sqs/offer.js';
import type { BusEvent } from './bus-event.js';
import { putAccess } from './put-access.js';
import { nameOf, type Rule, Rules } from './rules.js';
import { Schedules } from './schedules.js';
import { groupOf, inputOf, type Target } from './target-input.js';

/** An event that a bus has accepted. */
export interface AcceptedEvent {
  readonly bus: string;
  readonly event: BusEvent;
  readonly at: number;
  /** Label of the function that put it; absent if AWS or a scenario put it. */
  readonly by?: string;
}

/** Functions that a rule may invoke asynchronously. */
export interface AsyncInvoker {
  invokeAsync(arn: string, event: unknown): void;
}

/** Topics to which a rule may publish. */
export interface TopicPublisher {
  /** Whether a program subscribes to a topic. @param arn its ARN */
  reachesPrograms(arn: string): boolean;
  publish(arn: string, message: { readonly text: string }): void;
}

/** State machines that a rule may start. */
export interface MachineStarter {
  /** Whether there is such a machine. @param arn its ARN */
  has(arn: string): boolean;
  startByRule(arn: string, input: string): void;
}

/** Event that is put on a bus. */
interface NewEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: unknown;
  /** ARNs. @default none */
  readonly resources?: readonly string[];
  /** Milliseconds since 1970. @default now */
  readonly time?: number;
}

/** A delivery that is still to be made: of one event to one target. */
export interface PendingDelivery {
  readonly name: string;
  /** ARN of the rule. */
  readonly rule: string;
  /** Id of the rule's target. */
  readonly target: string;
  readonly event: BusEvent;
  /** When it comes; this and the other times are milliseconds since 1970. */
  readonly at: number;
  readonly begun: number;
  readonly tries: number;
  readonly downUntil: number;
}

const UNREACHABLE_FOR = 90_000;
/** AWS, "How EventBridge retries delivering events": 24 hours and 185 times by default, with backoff and jitter. */
const MAX_AGE = 86_400_000;
const MAX_TRIES = 185;

/**
 * Buses, rules and schedules. AWS, "Event buses in Amazon EventBridge", "PutEvents", "How EventBridge retries delivering events",
 * "Using dead-letter queues to process undelivered events".
 */
export class EventBridge {
  readonly rules: Rules;
  readonly schedules: Schedules;
  private handovers = 0;
  private readonly undelivered = new Set<PendingDelivery>();
  /** Events that a bus has accepted: for invariants. */
  readonly accepted: AcceptedEvent[];
  /** End of a throttling period that a scenario sets, milliseconds since 1970. */
  refusesUntil = 0;

  constructor(
    private readonly assembly: Assembly,
    private readonly around: {
      readonly world: EventLoop;
      readonly faults: FaultPlan;
      readonly iam: Iam;
      readonly queues: ReadonlyMap<string, Queue>;
      readonly functions: AsyncInvoker;
      readonly topics: TopicPublisher;
      readonly machines: MachineStarter;
      /** Gets the rules that have no model. */
      readonly met: ObstaclesMet;
    },
  ) {
    this.accepted = around.world.records();
    // A machine that has no model is an obstacle of its own.
    const own = ['AWS::Lambda::Function', 'AWS::StepFunctions::StateMachine'].flatMap((type) =>
      assembly.findByType(type),
    );
    const invoked = new Set(own.map(({ arn }) => arn));
    this.schedules = new Schedules(around.world);
    this.rules = new Rules(assembly, {
      schedules: this.schedules,
      met: around.met,
      tick: (rule) => this.tick(rule),
      reaches: (arn) => around.queues.has(arn) || invoked.has(arn) || around.topics.reachesPrograms(arn),
    });
  }

  /** Disables rules, as an operator may: they match no event, and their schedules do nothing. @param which by its construct's path */
  disable(which: (label: string) => boolean): void {
    for (const rule of this.rules.list()) if (which(rule.resource.label)) this.rules.disable(rule);
  }

  /** Enables rules again. @param which tells by a rule's label */
  enable(which: (label: string) => boolean): void {
    for (const rule of this.rules.list()) if (which(rule.resource.label)) this.rules.enable(rule);
  }

  /** @param bus name or ARN; returns `undefined` if there is no such bus */
  busName(bus: string): string | undefined {
    const name = bus.split('/').at(-1) ?? '';
    return this.rules.buses.has(name) ? name : undefined;
  }

  /** @param bus name or ARN; returns `undefined` if no bus takes events by it */
  destinationOf(bus: string): string | undefined {
    return this.rules.isOutside(bus) ? bus : this.busName(bus);
  }

  /**
   * Accepts an event; each matching rule delivers it to its targets.
   * @param by the function that puts it
   * @returns the event's id
   */
  put(bus: string, entry: NewEvent, by?: string): string {
    const event = this.event(entry);
    this.accept(bus, event, by);
    return event.id;
  }

  /**
   * Takes an event that was put, or that a rule of another bus has sent as it is. User Guide, "Sending events between event buses in the
   * same account and Region in Amazon EventBridge": what a bus has of another one isn't sent to a third. That its id stays isn't
   * documented.
   */
  private accept(bus: string, event: BusEvent, by?: string, isOfBus = false): void {
    this.accepted.push({ bus, event, at: this.around.world.now, ...(by !== undefined && { by }) });
    this.around.world.tell(() => ({
      kind: 'message',
      owner: by ?? bus,
      id: event.id,
      target: bus,
      outcome: 'published',
      type: event['detail-type'],
      ...factsOf(event.detail),
    }));
    for (const rule of this.rules.enabledOn(bus)) {
      if (!rule.pattern || !matches(rule.pattern, event)) continue;
      for (const target of rule.reached) {
        const isThird = isOfBus && this.busTargeted(target) !== undefined;
        if (!isThird) this.handOver(rule, target, event);
        else this.around.world.note(`${rule.resource.label}: no third bus gets ${event['detail-type']}`);
      }
      const isForPeople = rule.targets.length > rule.reached.length;
      if (isForPeople) this.around.world.note(`${rule.resource.label} tells people of ${event['detail-type']}`);
    }
  }

  /** Drops an event, as AWS does if there is no such bus. @returns the event's id */
  dropEvent(): string {
    return this.around.world.random.id();
  }

  private tick(rule: Rule): void {
    const tick = { source: 'aws.events', detailType: 'Scheduled Event', detail: {}, resources: [rule.resource.arn] };
    const event = this.event(tick);
    this.around.world.tell(() => ({ kind: 'timer', owner: rule.resource.label, id: event.id, outcome: 'began' }));
    for (const target of rule.reached) this.handOver(rule, target, event);
  }

  private event({ source, detailType, detail, resources = [], time = this.around.world.now }: NewEvent): BusEvent {
    const { world } = this.around;
    return {
      version: '0',
      id: world.random.id(),
      'detail-type': detailType,
      source,
      account: this.assembly.home.account,
      time: new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z'),
      region: this.assembly.home.region,
      resources,
      detail,
    };
  }

  private handOver(rule: Rule, target: Target, event: BusEvent): void {
    const { world, faults } = this.around;
    const name = `${rule.resource.label} delivery ${++this.handovers}`;
    const fault = faults.faultAt({ id: name, kinds: DELIVERY_FAULTS });
    world.note(`${name} of ${event['detail-type']}${fault ? ` FAULT ${fault}` : ''}`);
    this.tell(name, rule, target, event, fault === 'lost' ? 'lost' : 'began', fault);
    if (fault === 'lost') return;
    const delay = world.latency((random) => (random.chance(0.02) ? random.between(200, 5_000) : random.between(5, 60)));
    const begun = world.now;
    const downUntil =
      fault === 'undeliverable'
        ? begun + 2 * MAX_AGE
        : fault === 'undeliverable-at-first'
          ? begun + UNREACHABLE_FOR
          : 0;
    const delivery = { name, rule: rule.resource.arn, target: idOf(target), event, begun, tries: 1, downUntil };
    this.plan({ ...delivery, at: begun + delay });
    if (fault === 'delivered-twice') this.plan({ ...delivery, at: begun + delay + 30_000, downUntil: 0 });
  }

  /** Deliveries that are still to be made. */
  get pending(): readonly PendingDelivery[] {
    return [...this.undelivered];
  }

  /** Takes a delivery over from another time of this deployment; what is no target any more gets nothing. */
  plan(delivery: PendingDelivery): void {
    const { world } = this.around;
    this.undelivered.add(delivery);
    const deliver = (): void => {
      this.undelivered.delete(delivery);
      this.deliver(delivery);
    };
    world.after(
      delivery.at - world.now,
      deliver,
      `${delivery.name.replace(/ delivery .*/, '')}: an event is delivered`,
    );
  }

  private deliver(delivery: PendingDelivery): void {
    const { world } = this.around;
    const { name, event } = delivery;
    const rule = this.rules.list().find(({ resource }) => resource.arn === delivery.rule);
    const target = rule?.reached.find((one) => idOf(one) === delivery.target);
    if (!rule || !target) return;
    if (!this.allowed(rule, target, event)) {
      this.giveUp(name, rule, target, event, 'NO_PERMISSIONS');
      return;
    }
    if (world.now >= delivery.downUntil) {
      const queue = this.around.queues.get(target.Arn);
      const group = groupOf(target, event);
      const { text, value } = inputOf(target, {
        event,
        rule: { arn: rule.resource.arn, name: nameOf(rule) },
        now: world.now,
      });
      const bus = this.busTargeted(target);
      if (bus !== undefined) this.accept(bus, event, undefined, true);
      else if (queue) {
        // AWS re:Post, "How do I resolve FailedInvocation errors in EventBridge?": what is refused with a status of 4xx isn't tried again.
        if (offer(queue, { body: text, ...(group === undefined ? {} : { group }) })) {
          this.giveUp(name, rule, target, event, 'INVALID_PARAMETER');
          return;
        }
      } else if (this.around.topics.reachesPrograms(target.Arn)) this.around.topics.publish(target.Arn, { text });
      else if (this.around.machines.has(target.Arn)) this.around.machines.startByRule(target.Arn, text);
      else this.around.functions.invokeAsync(target.Arn, value);
      this.tell(name, rule, target, event, 'delivered');
      return;
    }
    const { MaximumEventAgeInSeconds: age = MAX_AGE / 1000, MaximumRetryAttempts: most = MAX_TRIES } =
      target.RetryPolicy ?? {};
    const wait = Math.min(1_000 * 2 ** delivery.tries, 900_000);
    if (world.now + wait - delivery.begun > age * 1000 || delivery.tries > most) {
      this.giveUp(name, rule, target, event, 'SERVICE_UNAVAILABLE');
      return;
    }
    this.plan({ ...delivery, at: world.now + wait, tries: delivery.tries + 1 });
  }

  private tell(id: string, rule: Rule, target: Target, event: BusEvent, outcome: string, fault?: string): void {
    this.around.world.tell(() => ({
      kind: 'delivery',
      owner: rule.resource.label,
      id,
      target: this.around.queues.get(target.Arn)?.label ?? target.Arn,
      outcome,
      ...(fault !== undefined && { fault }),
      type: event['detail-type'],
      ...factsOf(event.detail),
    }));
  }

  private allowed(rule: Rule, target: Target, event: BusEvent): boolean {
    const { queues, topics, machines, iam } = this.around;
    // User Guide, "Using IAM roles to let rules access their targets": a state machine is started with the target's role.
    if (machines.has(target.Arn))
      return iam.roleAllows(target.RoleArn ?? '', { action: 'states:StartExecution', resource: target.Arn });
    if (this.busTargeted(target) !== undefined) {
      const { source, 'detail-type': detailType } = event;
      const access = putAccess({ bus: target.Arn, source, detailType, byRule: true }, this.assembly.home);
      return iam.roleAllows(target.RoleArn ?? '', access) && !iam.resourceDenies(access);
    }
    const action = queues.has(target.Arn)
      ? 'sqs:SendMessage'
      : topics.reachesPrograms(target.Arn)
        ? 'sns:Publish'
        : 'lambda:InvokeFunction';
    return this.mayReach(rule, target.Arn, action);
  }

  /** Returns the bus that a target is; `undefined` if it is none. */
  private busTargeted({ Arn }: Target): string | undefined {
    return this.rules.isOutside(Arn) ? Arn : this.rules.findBus(Arn);
  }

  private mayReach(rule: Rule, arn: string, action: string): boolean {
    const context = { 'aws:SourceArn': rule.resource.arn };
    return this.around.iam.resourceAllows(arn, { action, resource: arn, context, service: 'events.amazonaws.com' });
  }

  private giveUp(name: string, rule: Rule, target: Target, event: BusEvent, code: string): void {
    const { queues, world } = this.around;
    const deadLetters = target.DeadLetterConfig?.Arn;
    const queue = deadLetters === undefined ? undefined : queues.get(deadLetters);
    const lose = (): void => {
      world.note(`${name} given up and LOST: ${code}`);
      this.tell(name, rule, target, event, 'lost');
    };
    if (deadLetters === undefined || !queue || !this.mayReach(rule, deadLetters, 'sqs:SendMessage')) {
      lose();
      return;
    }
    world.note(`${name} given up: ${code}`);
    this.tell(name, rule, target, event, 'given up');
    const attribute = (StringValue: string): MessageAttribute => ({ DataType: 'String', StringValue });
    const refusal = offer(queue, {
      body: JSON.stringify(event),
      attributes: {
        RULE_ARN: attribute(rule.resource.arn),
        TARGET_ARN: attribute(target.Arn),
        ERROR_CODE: attribute(code),
        ERROR_MESSAGE: attribute('simulated'),
      },
    });
    if (refusal) lose();
  }
}

/** A target's id among those of its rule. */
const idOf = ({ Id, Arn }: Target): string => Id ?? Arn;
