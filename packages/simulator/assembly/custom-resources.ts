import type { Json, JsonObject } from './intrinsics.js';

/**
 * Custom resources of the CDK whose function isn't run, each with the reason.
 * AWS CDK, "Custom::AWS" is `AwsCustomResource`, whose one call is made in the place of its function.
 */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'Custom::CloudwatchLogResourcePolicy': 'lines are collected without it',
  'Custom::LogRetention': 'how long lines are kept',
  'Custom::S3AutoDeleteObjects': 'no bucket is deleted within a history',
  'Custom::VpcRestrictDefaultSG': 'nothing here goes through a network',
};

/** Custom resources of the CDK that a model creates in the place of their function. */
const BY_MODEL = new Set(['Custom::AWS', 'Custom::CDKBucketDeployment', 'Custom::S3BucketNotifications']);

const isCustomType = (type: string): boolean =>
  type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource';

/** Tells whether custom resources of a type are created by their function. */
export const isRunType = (type: string): boolean =>
  isCustomType(type) && !BY_MODEL.has(type) && !Object.hasOwn(NOT_RUN, type);

/** A resource of a template, as far as these functions look at it. */
interface Typed {
  readonly type: string;
  readonly properties: JsonObject;
}

export const isCustomResource = ({ type }: Typed): boolean => isCustomType(type);

export const isRun = ({ type }: Typed): boolean => isRunType(type);

/** A reference in resolved properties to what a custom resource answers: `{{answer:<stack>/<logical id>:<attribute>}}`. */
const ANSWER = /\{\{answer:([^:}]+):([^}]+)\}\}/g;

/** Stands for `Fn::GetAtt` of a custom resource, or `Ref`, until its function has answered. */
export const answerReference = (id: string, attribute: string): string => `{{answer:${id}:${attribute}}}`;

/** Returns the attributes that a value refers to, with the ids of their custom resources. */
export const listAnswerReferences = (value: Json): readonly { readonly id: string; readonly attribute: string }[] =>
  [...JSON.stringify(value).matchAll(ANSWER)].map(([, id = '', attribute = '']) => ({ id, attribute }));

/** Puts answers in the place of references; those of custom resources that haven't answered stay. @param answers by id */
export function fillAnswers<Value extends Json>(value: Value, answers: ReadonlyMap<string, JsonObject>): Value {
  const fill = (one: Json): Json => {
    if (typeof one === 'string')
      return one.replaceAll(ANSWER, (reference, id: string, attribute: string) =>
        String(answers.get(id)?.[attribute] ?? reference),
      );
    if (Array.isArray(one)) return one.map((member: Json) => fill(member));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, fill(member as Json)]));
  };
  return fill(value) as Value;
}

/**
 * Returns what a resource refers to and can't get, since its model is made before any function runs: all but variables of functions, and
 * properties of custom resources.
 */
export function listUnreadable({
  type,
  properties,
}: Typed): readonly { readonly id: string; readonly attribute: string }[] {
  if (isRunType(type)) return [];
  const { Environment: _, ...others } = properties;
  return listAnswerReferences(type === 'AWS::Lambda::Function' ? others : properties);
}
