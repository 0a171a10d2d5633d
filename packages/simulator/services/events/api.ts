import { type AccountAndRegion, identifyResource } from '../../assembly/identity.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { compilePattern, type Pattern } from '../../patterns/compile.js';
import { InvalidPattern } from '../../patterns/invalid.js';
import { matches } from '../../patterns/matches.js';
import { NotModelled, type Operations, paginate, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { Queue } from '../sqs/model.js';
import type { EventBridge } from './model.js';
import { putEvents } from './put-events.js';
import { nameOf, type Rule } from './rules.js';
import type { Target } from './target-input.js';

const PAGE = 100;
/** User Guide, "Amazon EventBridge quotas". */
const MOST_TARGETS = 5;

/** Parts of an account that its buses need. */
interface Account {
  readonly world: EventLoop;
  readonly home: AccountAndRegion;
  readonly events: EventBridge;
  /** Targets, by their ARNs. */
  readonly queues: ReadonlyMap<string, Queue>;
  readonly functions: ReadonlyMap<string, unknown>;
}

/** Buses, rules and targets. Amazon EventBridge API Reference, "Actions". */
export function eventsApi(cloud: Account): Operations {
  const { events, world } = cloud;
  const { rules } = events;
  const described = (name: string) => ({ Name: name, Arn: busArn(name, cloud.home) });
  return {
    PutEvents: (input, call) => putEvents(events, input, world.now, call),
    ListEventBuses: ({ NamePrefix = '', NextToken, Limit = PAGE }) => {
      const names = [...rules.buses].filter((name) => name.startsWith(String(NamePrefix)));
      const { page, next } = paginate(names, NextToken, Number(Limit));
      return { EventBuses: page.map(described), ...(next !== undefined && { NextToken: next }) };
    },
    DescribeEventBus: ({ Name }) => described(findBusName(cloud, Name)),
    CreateEventBus: ({ Name }) => {
      const name = String(Name);
      if (rules.buses.has(name))
        throw new Refused('ResourceAlreadyExistsException', `Event bus ${name} already exists.`);
      rules.buses.add(name);
      return { EventBusArn: busArn(name, cloud.home) };
    },
    DeleteEventBus: ({ Name }) => {
      const name = String(Name);
      if (name === 'default') throw new Refused('ValidationException', 'Cannot delete event bus default.');
      if (rules.list().some(({ bus }) => bus === name))
        throw new Refused('ValidationException', `Event bus ${name} can't be deleted since it has rules.`);
      rules.buses.delete(name);
      return {};
    },
    ListRules: (input) => {
      const bus = findBusName(cloud, input.EventBusName);
      const { NamePrefix = '', NextToken, Limit = PAGE } = input;
      const found = rules.list().filter((rule) => rule.bus === bus && nameOf(rule).startsWith(String(NamePrefix)));
      const { page, next } = paginate(found, NextToken, Number(Limit));
      return { Rules: page.map((rule) => readRule(cloud, rule)), ...(next !== undefined && { NextToken: next }) };
    },
    ListRuleNamesByTarget: (input) => {
      const bus = findBusName(cloud, input.EventBusName);
      const found = rules
        .list()
        .filter((rule) => rule.bus === bus && rule.targets.some(({ Arn }) => Arn === input.TargetArn));
      const { page, next } = paginate(found, input.NextToken, Number(input.Limit ?? PAGE));
      return { RuleNames: page.map(nameOf), ...(next !== undefined && { NextToken: next }) };
    },
    DescribeRule: (input) => ({
      ...readRule(cloud, findRule(cloud, input, input.Name)),
      CreatedBy: cloud.home.account,
    }),
    ListTargetsByRule: (input) => {
      const { targets } = findRule(cloud, input, input.Rule);
      const { page, next } = paginate(targets, input.NextToken, Number(input.Limit ?? PAGE));
      return { Targets: page, ...(next !== undefined && { NextToken: next }) };
    },
    EnableRule: (input) => {
      rules.enable(findRule(cloud, input, input.Name));
      return {};
    },
    DisableRule: (input) => {
      rules.disable(findRule(cloud, input, input.Name));
      return {};
    },
    PutRule: (input) => ({ RuleArn: putRule(cloud, input).resource.arn }),
    DeleteRule: (input) => {
      const rule = rules.findByName(findBusName(cloud, input.EventBusName), String(input.Name));
      if (rule && rule.targets.length > 0)
        throw new Refused('ValidationException', "Rule can't be deleted since it has targets.");
      if (rule) rules.remove(rule);
      return {};
    },
    PutTargets: (input) => {
      const rule = findRule(cloud, input, input.Rule);
      const added = input.Targets as readonly Target[];
      checkIds(added);
      for (const target of added) {
        const { Arn } = target;
        checkQueues(target, cloud.queues);
        if (!cloud.queues.has(Arn) && !cloud.functions.has(Arn)) throw new NotModelled(`the target ${Arn}`);
      }
      const kept = rule.targets.filter(({ Id }) => !added.some((one) => one.Id === Id));
      if (kept.length + added.length > MOST_TARGETS)
        throw new Refused('LimitExceededException', 'The requested resource exceeds the maximum number allowed.');
      retarget(cloud, rule, [...kept, ...added]);
      return { FailedEntryCount: 0, FailedEntries: [] };
    },
    RemoveTargets: (input) => {
      const rule = findRule(cloud, input, input.Rule);
      const ids = input.Ids as readonly string[];
      retarget(
        cloud,
        rule,
        rule.targets.filter(({ Id }) => !ids.includes(Id ?? '')),
      );
      return { FailedEntryCount: 0, FailedEntries: [] };
    },
    TestEventPattern: ({ EventPattern, Event }) => ({
      Result: matches(parsePattern(EventPattern), parseJson(Event, INVALID)),
    }),
  };
}

/** Checks targets' ids. API Reference, "Target". @throws {Refused} */
function checkIds(targets: readonly Target[]): void {
  for (const [at, { Id = '' }] of targets.entries()) {
    const isOfItsSigns = /^[.\-_A-Za-z0-9]+$/.test(Id);
    if (isOfItsSigns && Id.length <= 64) continue;
    const right = isOfItsSigns
      ? 'have length less than or equal to 64'
      : 'satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+';
    const where = `Value '${Id}' at 'targets.${at + 1}.member.id'`;
    const message = `1 validation error detected: ${where} failed to satisfy constraint: Member must ${right}`;
    throw new Refused('ValidationException', message);
  }
}

/**
 * Checks FIFO queues. API Reference, "SqsParameters"; User Guide, "Using dead-letter queues to process undelivered events": they are standard queues.
 * @throws {Refused}
 */
function checkQueues(
  { Id, Arn, SqsParameters, DeadLetterConfig }: Target,
  queues: ReadonlyMap<string, Pick<Queue, 'isFifo'>>,
): void {
  if (queues.get(DeadLetterConfig?.Arn ?? '')?.isFifo)
    throw new Refused('ValidationException', 'SQS FIFO is not supported by Dead Letter Queues.');
  if (queues.get(Arn)?.isFifo && SqsParameters?.MessageGroupId === undefined)
    throw new Refused('ValidationException', `Parameter(s) SqsParameters must be specified for target: ${Id}.`);
}

const busArn = (name: string, home: AccountAndRegion): string =>
  identifyResource('AWS::Events::EventBus', name, {}, home).arn;

/** Returns the name of a bus, given its name or ARN. @throws {Refused} */
function findBusName({ events }: Account, bus: unknown = 'default'): string {
  const name = events.busName(String(bus));
  if (name === undefined) throw notFound(`Event bus ${String(bus)} does not exist.`);
  return name;
}

function findRule(cloud: Account, { EventBusName }: Input, name: unknown): Rule {
  const bus = findBusName(cloud, EventBusName);
  const found = cloud.events.rules.findByName(bus, String(name));
  if (!found) throw notFound(`Rule ${String(name)} does not exist on EventBus ${bus}.`);
  return found;
}

const notFound = (message: string): Refused => new Refused('ResourceNotFoundException', message);

function readRule({ events }: Account, rule: Rule): object {
  const { pattern, expression, resource, bus } = rule;
  return {
    Name: nameOf(rule),
    Arn: resource.arn,
    ...(pattern && { EventPattern: JSON.stringify(pattern) }),
    ...(expression !== undefined && { ScheduleExpression: expression }),
    State: events.rules.isEnabled(rule) ? 'ENABLED' : 'DISABLED',
    ...(typeof resource.properties.Description === 'string' && { Description: resource.properties.Description }),
    EventBusName: bus,
  };
}

/** Adds a rule without targets, or replaces one, which keeps its targets. */
function putRule(cloud: Account, input: Input): Rule {
  const bus = findBusName(cloud, input.EventBusName);
  const name = String(input.Name);
  const { EventPattern, ScheduleExpression, State = 'ENABLED', Description } = input;
  if (EventPattern === undefined && ScheduleExpression === undefined)
    throw new Refused('ValidationException', 'Parameter(s) EventPattern or ScheduleExpression must be specified.');
  const earlier = cloud.events.rules.findByName(bus, name)?.resource;
  const own = { Name: name, EventBusName: bus };
  const properties = {
    ...own,
    ...(EventPattern !== undefined && { EventPattern: parsePattern(EventPattern) }),
    ...(ScheduleExpression !== undefined && { ScheduleExpression: String(ScheduleExpression) }),
    ...(Description !== undefined && { Description: String(Description) }),
    State: String(State),
    Targets: earlier?.properties.Targets ?? [],
  };
  const { stack = '', logicalId = name, label = name } = earlier ?? {};
  const type = 'AWS::Events::Rule';
  return cloud.events.rules.put({
    stack,
    logicalId,
    label,
    type,
    ...identifyResource(type, name, own, cloud.home),
    properties,
  });
}

function retarget({ events: { rules } }: Account, rule: Rule, targets: readonly Target[]): void {
  const State = rules.isEnabled(rule) ? 'ENABLED' : 'DISABLED';
  const { resource } = rule;
  rules.put({ ...resource, properties: { ...resource.properties, State, Targets: targets as unknown as Json } });
}

/** @throws {Refused} if it isn't a pattern */
function parsePattern(text: unknown): JsonObject {
  const pattern = parseJson(text, INVALID);
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern) || Object.keys(pattern).length === 0)
    throw new Refused(INVALID, 'Event pattern is not valid. Reason: Filter is not an object');
  try {
    compilePattern(pattern as Pattern);
  } catch (error) {
    if (!(error instanceof InvalidPattern)) throw error;
    throw new Refused(INVALID, `Event pattern is not valid. Reason: ${error.message}`);
  }
  return pattern as JsonObject;
}

const INVALID = 'InvalidEventPatternException';

function parseJson(text: unknown, code: string): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch (error) {
    throw new Refused(code, `Event pattern is not valid. Reason: ${(error as Error).message}`);
  }
}
