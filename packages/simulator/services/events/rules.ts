import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import { compilePattern, type Pattern } from '../../patterns/compile.js';
import { NotModelled } from '../../wire/operation.js';
import type { Schedules } from './schedules.js';
import { readTransformer, type Target } from './target-input.js';

const MODELLED = new Set([
  'Arn',
  'Id',
  'DeadLetterConfig',
  'RetryPolicy',
  'SqsParameters',
  'RoleArn',
  'Input',
  'InputPath',
  'InputTransformer',
]);

/** A rule of a bus, read once. */
export interface Rule {
  readonly resource: Resource;
  readonly bus: string;
  /** Absent if the rule has a schedule instead. */
  readonly pattern: Record<string, unknown> | undefined;
  readonly expression: string | undefined;
  readonly targets: readonly Target[];
  /** The targets that are part of a history: topics notify people, who are not. */
  readonly reached: readonly Target[];
}

/** Rules of the templates, and those that a caller from outside puts. */
export class Rules {
  /** Names of the buses. */
  readonly buses: Set<string>;
  private readonly rules: Rule[];
  private readonly disabled = new Set<Rule>();
  /** Ends of the schedules that are running. */
  private readonly ticking = new Map<Rule, () => void>();
  private readonly topics: ReadonlySet<string>;
  private readonly home: AccountAndRegion;
  /** Log groups to which no function subscribes: people read them. */
  private readonly logs: ReadonlySet<string>;

  constructor(
    assembly: Assembly,
    private readonly around: {
      readonly schedules: Schedules;
      readonly met: ObstaclesMet;
      readonly tick: (rule: Rule) => void;
      /** Whether a target has a model. @param arn its ARN */
      readonly reaches: (arn: string) => boolean;
    },
  ) {
    this.buses = new Set(['default', ...assembly.findByType('AWS::Events::EventBus').map(({ ref }) => ref)]);
    this.home = assembly.home;
    this.topics = new Set(assembly.findByType('AWS::SNS::Topic').map(({ ref }) => ref));
    const filtered = new Set(
      assembly.findByType('AWS::Logs::SubscriptionFilter').map(({ properties }) => properties.LogGroupName),
    );
    this.logs = new Set(
      assembly.findByType('AWS::Logs::LogGroup').flatMap(({ ref }) => (filtered.has(ref) ? [] : [`log-group:${ref}`])),
    );
    this.rules = assembly
      .findByType('AWS::Events::Rule')
      .flatMap((resource) => around.met.attempt(resource, () => this.read(resource)) ?? []);
    for (const rule of this.rules) around.met.attempt(rule.resource, () => this.enter(rule));
  }

  list(): readonly Rule[] {
    return this.rules;
  }

  enabledOn(bus: string): readonly Rule[] {
    return this.rules.filter((rule) => rule.bus === bus && !this.disabled.has(rule));
  }

  findByName(bus: string, name: string): Rule | undefined {
    return this.rules.find((rule) => rule.bus === bus && nameOf(rule) === name);
  }

  isEnabled(rule: Rule): boolean {
    return !this.disabled.has(rule);
  }

  enable(rule: Rule): void {
    this.disabled.delete(rule);
    const { expression, resource } = rule;
    if (expression === undefined || this.ticking.has(rule)) return;
    const tick = (): void => (this.disabled.has(rule) ? undefined : this.around.tick(rule));
    this.ticking.set(rule, this.around.schedules.add({ label: resource.label, expression, tick }));
  }

  /** Its schedule continues, and does nothing. */
  disable(rule: Rule): void {
    this.disabled.add(rule);
  }

  /** Adds a rule, or replaces the one of this name. @throws {NotModelled} names what has no model @throws {InvalidPattern} */
  put(resource: Resource): Rule {
    const rule = this.read(resource);
    const earlier = this.findByName(rule.bus, nameOf(rule));
    if (earlier) this.remove(earlier);
    this.rules.push(rule);
    this.enter(rule);
    return rule;
  }

  remove(rule: Rule): void {
    this.ticking.get(rule)?.();
    this.ticking.delete(rule);
    this.disabled.delete(rule);
    this.rules.splice(this.rules.indexOf(rule), 1);
  }

  private enter(rule: Rule): void {
    if (rule.resource.properties.State === 'DISABLED') this.disabled.add(rule);
    else this.enable(rule);
  }

  /** Whether a target is a topic or a log group that no program reads. */
  private isForPeople(arn: string): boolean {
    if (this.around.reaches(arn)) return false;
    return this.topics.has(arn) || this.logs.has(arn.split(':').slice(5, 7).join(':'));
  }

  /** Returns the name of the bus that a target is; `undefined` if it is no bus of this assembly. @param arn its ARN */
  findBus(arn: string): string | undefined {
    const name = /:event-bus\/([^/]+)$/.exec(arn)?.[1] ?? '';
    return this.buses.has(name) && arn === this.home.arn('events', `event-bus/${name}`) ? name : undefined;
  }

  /**
   * Whether a bus is of another account or region. Nobody here knows its rules: what is sent to it is taken, and ends there.
   * @param bus name or ARN
   */
  isOutside(bus: string): boolean {
    const [, region, account] = /^arn:[^:]+:events:([^:]+):([^:]+):event-bus\//.exec(bus) ?? [];
    return region !== undefined && (region !== this.home.region || account !== this.home.account);
  }

  private read(resource: Resource): Rule {
    const { EventBusName = 'default', EventPattern, Targets = [], ScheduleExpression } = resource.properties;
    const targets = Targets as unknown as readonly Target[];
    const reached = targets.filter(({ Arn }) => !this.isForPeople(Arn));
    if (EventPattern !== undefined && ScheduleExpression !== undefined)
      throw new NotModelled(`${resource.label}: a rule with a pattern and a schedule isn't modelled`);
    for (const target of reached) {
      const isBus = this.findBus(target.Arn) !== undefined || this.isOutside(target.Arn);
      if (!isBus && !this.around.reaches(target.Arn))
        throw new NotModelled(
          `${resource.label}: the target ${target.Arn} isn't modelled; queues, functions, topics, state machines and buses of this assembly are, and buses of other accounts`,
        );
      if (isBus) checkBusTarget(resource, target);
      const unknown = Object.keys(target).filter((name) => !MODELLED.has(name));
      if (unknown.length > 0)
        throw new NotModelled(`${resource.label}: target property ${unknown.join(', ')} isn't modelled`);
      if (target.InputTransformer) readTransformer(target.InputTransformer);
    }
    // A pattern that AWS would refuse must not wait for its first event.
    if (EventPattern !== undefined) compilePattern(EventPattern as Pattern);
    return {
      resource,
      bus: String(EventBusName).split('/').at(-1) ?? '',
      pattern: EventPattern as Record<string, unknown> | undefined,
      expression: ScheduleExpression as string | undefined,
      targets,
      reached,
    };
  }
}

/** Returns a rule's name: for a template's rule on another bus than the default one, `Ref` is `<bus>|<name>` on AWS. */
export const nameOf = ({ resource }: Rule): string => resource.arn.split('/').at(-1) ?? '';

/**
 * User Guide, "Sending events between event buses in the same account and Region in Amazon EventBridge": a rule sends to another bus with
 * a role. Which other input than the event itself a bus gets isn't documented.
 * @throws {NotModelled}
 */
function checkBusTarget({ label }: Resource, { Arn, RoleArn, Input, InputPath, InputTransformer }: Target): void {
  if (RoleArn === undefined) throw new NotModelled(`${label}: the bus ${Arn} as a target without RoleArn`);
  if (Input !== undefined || InputPath !== undefined || InputTransformer !== undefined)
    throw new NotModelled(`${label}: the bus ${Arn} as a target with another input than the event`);
}
