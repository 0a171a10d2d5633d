import type { Json } from '../../assembly/intrinsics.js';
import { parseText } from '../../wire/embedded-json.js';
import { fillTemplate } from '../../wire/input-template.js';
import { parsePath, readAt } from '../../wire/json-path.js';
import { NotModelled } from '../../wire/operation.js';
import type { BusEvent } from './bus-event.js';

/** A target as a template or PutTargets describes it. */
export interface Target {
  readonly Arn: string;
  readonly Id?: string;
  readonly DeadLetterConfig?: { readonly Arn: string };
  /** Role with which a state machine is started, or an event is put on another bus. */
  readonly RoleArn?: string;
  /** JSON that the target gets instead of the event. */
  readonly Input?: string;
  /** Path of the part of the event that the target gets. */
  readonly InputPath?: string;
  /** Template of what the target gets, and its variables by the paths of their values. */
  readonly InputTransformer?: {
    readonly InputPathsMap?: Readonly<Record<string, string>>;
    readonly InputTemplate: string;
  };
  readonly SqsParameters?: { readonly MessageGroupId?: string };
  readonly RetryPolicy?: { readonly MaximumEventAgeInSeconds?: number; readonly MaximumRetryAttempts?: number };
}

/** An event on its way to a target. */
interface OnItsWay {
  readonly event: BusEvent;
  readonly rule: { readonly arn: string; readonly name: string };
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Transformer = NonNullable<Target['InputTransformer']>;
type Pieces = readonly (string | ((around: OnItsWay) => Json | undefined))[];

const VARIABLE = /<([\w.-]+)>/g;
/** "Amazon EventBridge input transformation", "Predefined variables". */
const PREDEFINED: Readonly<Record<string, (around: OnItsWay) => unknown>> = {
  'aws.events.rule-arn': ({ rule }) => rule.arn,
  'aws.events.rule-name': ({ rule }) => rule.name,
  'aws.events.event.ingestion-time': ({ now }) => new Date(now).toISOString(),
  'aws.events.event': ({ event: { detail: _, ...others } }) => others,
  'aws.events.event.json': ({ event }) => event,
};

/** Templates that were read, by the transformer in the template. */
const compiled = new WeakMap<Transformer, Pieces>();

/**
 * Reads an input transformer. Amazon EventBridge API Reference, "InputTransformer".
 * @throws {NotModelled} names a path that has more than the model knows, or a variable that nothing defines
 */
export function readTransformer(transformer: Transformer): Pieces {
  const known = compiled.get(transformer);
  if (known) return known;
  const { InputPathsMap = {}, InputTemplate } = transformer;
  const paths = new Map(Object.entries(InputPathsMap).map(([name, path]) => [name, parsePath(path)]));
  const pieces = InputTemplate.split(VARIABLE).map((part, at) => {
    if (at % 2 === 0) return part;
    const path = paths.get(part);
    if (path) return ({ event }: OnItsWay) => readAt(path, event as unknown as Json);
    const predefined = PREDEFINED[part];
    if (!predefined) throw new NotModelled(`the variable <${part}> of an input template`);
    return (around: OnItsWay) => predefined(around) as Json;
  });
  compiled.set(transformer, pieces);
  return pieces;
}

/**
 * Returns what a target gets of an event, as text and as a value. Amazon EventBridge User Guide, "Amazon EventBridge targets", `Input` and
 * `InputPath`; "Amazon EventBridge input transformation".
 * @throws {Error} if the event has no value at the path: AWS doesn't document that case
 */
export function inputOf(
  { Input, InputPath = '$', InputTransformer }: Target,
  around: OnItsWay,
): { readonly text: string; readonly value: unknown } {
  const { event } = around;
  if (InputTransformer) {
    const text = fillTemplate(readTransformer(InputTransformer), around);
    return { text, value: parseText(text) };
  }
  if (Input !== undefined) return { text: Input, value: JSON.parse(Input) as unknown };
  const value = InputPath === '$' ? event : valueAt(InputPath, event);
  if (value === undefined) throw new Error(`an event without ${InputPath} isn't modelled`);
  return { text: JSON.stringify(value), value };
}

/**
 * Returns the message group that a target gives an event: a fixed text, or the event's value at a path. AWS, "Event bus
 * targets in Amazon EventBridge": dynamic path parameters, for `SqsParameters` too.
 * @throws {Error} if the event has no value there: AWS doesn't document that case
 */
export function groupOf(
  { SqsParameters: { MessageGroupId: group } = {} }: Target,
  event: BusEvent,
): string | undefined {
  if (!group?.startsWith('$.')) return group;
  const found = valueAt(group, event);
  if (typeof found !== 'string' || found === '') throw new Error(`an event without ${group} isn't modelled`);
  return found;
}

/** Returns the value at a path (`$.detail.id`) of an event; `undefined` if there is none. */
const valueAt = (path: string, event: BusEvent): unknown =>
  path
    .slice(2)
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], event);
