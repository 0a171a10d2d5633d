/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** A part of a template that can't be resolved; `message` says where and what. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Values to which intrinsic functions refer. */
export interface Lookup {
  /** Returns the value of a parameter or pseudo parameter, or a resource's reference. @throws {TemplateError} */
  ref(name: string): Json;
  /** @throws {TemplateError} */
  attribute(resource: string, name: string): Json;
  /** Returns another stack's export. @throws {TemplateError} */
  imported(name: string): Json;
  /** Returns an output of a stack, which need not export it. @throws {TemplateError} @param region if it is named */
  stackOutput(stack: string, output: string, region?: string): Json;
  condition(name: string): boolean;
  mapping(map: string, key: string, second: string): Json;
  /** Whether a value contains one that nobody knows: then a part of it isn't known either, and stands for itself. @default none */
  isUnknown?(value: Json): boolean;
}

/** Represents `AWS::NoValue`: the property is absent. */
const NO_VALUE = Symbol('AWS::NoValue');

/**
 * Resolves every intrinsic function in a value of a template.
 * AWS CloudFormation, "Intrinsic function reference".
 * @throws {TemplateError} for an unknown function, and for anything that can't be resolved
 */
export function resolve(value: Json, lookup: Lookup): Json {
  const result = resolveOrOmit(value, lookup);
  return result === NO_VALUE ? null : result;
}

function resolveOrOmit(value: Json, lookup: Lookup): Json | typeof NO_VALUE {
  if (Array.isArray(value)) {
    return value.map((member) => resolveOrOmit(member, lookup)).filter((member) => member !== NO_VALUE) as Json[];
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as JsonObject);
  const [only] = entries;
  if (entries.length === 1 && only && (only[0] === 'Ref' || only[0].startsWith('Fn::'))) {
    return evaluateFunction(only[0], only[1], lookup);
  }
  const members = entries.map(([name, member]) => [name, resolveOrOmit(member, lookup)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== NO_VALUE)) as JsonObject;
}

function evaluateFunction(name: string, argument: Json, lookup: Lookup): Json | typeof NO_VALUE {
  const list = (): readonly Json[] => {
    if (!Array.isArray(argument)) throw new TemplateError(`${name} takes a list: ${JSON.stringify(argument)}`);
    return argument;
  };
  switch (name) {
    case 'Ref':
      return argument === 'AWS::NoValue' ? NO_VALUE : lookup.ref(String(argument));
    case 'Fn::GetAtt': {
      const [resource, ...attribute] = typeof argument === 'string' ? argument.split('.') : list().map(String);
      return lookup.attribute(resource ?? '', attribute.join('.'));
    }
    case 'Fn::ImportValue':
      return lookup.imported(requireText(resolve(argument, lookup)));
    case 'Fn::GetStackOutput': {
      // Weak references of the CDK (`Fn.getStackOutput` in aws-cdk-lib/core/lib/cfn-fn.d.ts). `RoleArn` is for another account's stack.
      const { StackName = null, OutputName = null, Region } = (argument ?? {}) as JsonObject;
      const text = (value: Json): string => requireText(resolve(value, lookup));
      return lookup.stackOutput(text(StackName), text(OutputName), Region === undefined ? undefined : text(Region));
    }
    case 'Fn::Sub':
      return substitute(argument, lookup);
    case 'Fn::Join': {
      const [separator = '', parts = []] = list();
      const joined = resolve(parts, lookup);
      if (lookup.isUnknown?.(joined)) return joined;
      return requireList(joined).map(requireText).join(requireText(separator));
    }
    case 'Fn::Split': {
      const [separator = '', whole = ''] = list();
      const text = resolve(whole, lookup);
      return lookup.isUnknown?.(text) ? text : requireText(text).split(requireText(separator));
    }
    case 'Fn::Select': {
      const [index = 0, from = []] = list();
      const all = resolve(from, lookup);
      if (lookup.isUnknown?.(all)) return all;
      const found = requireList(all)[Number(resolve(index, lookup))];
      if (found === undefined) throw new TemplateError(`Fn::Select: nothing at ${JSON.stringify(index)}`);
      return found;
    }
    case 'Fn::If': {
      const [condition = '', then = null, otherwise = null] = list();
      return resolveOrOmit(lookup.condition(requireText(condition)) ? then : otherwise, lookup);
    }
    case 'Fn::FindInMap': {
      const [map = '', key = '', second = ''] = list().map((part) => requireText(resolve(part, lookup)));
      return lookup.mapping(map, key, second);
    }
    case 'Fn::Base64':
      return Buffer.from(requireText(resolve(argument, lookup))).toString('base64');
    case 'Fn::GetAZs':
      return ['a', 'b', 'c'].map((zone) => `${requireText(lookup.ref('AWS::Region'))}${zone}`);
    default:
      throw new TemplateError(`${name} isn't known to the simulator`);
  }
}

/** Evaluates a condition of a template. AWS CloudFormation, "Condition functions". */
export function evaluateCondition(condition: Json, lookup: Lookup): boolean {
  const [[name, argument] = ['', null]] = Object.entries((condition ?? {}) as JsonObject);
  const parts = Array.isArray(argument) ? (argument as readonly Json[]) : [];
  switch (name) {
    case 'Fn::Equals':
      return JSON.stringify(resolve(parts[0] ?? null, lookup)) === JSON.stringify(resolve(parts[1] ?? null, lookup));
    case 'Fn::And':
      return parts.every((part) => evaluateCondition(part, lookup));
    case 'Fn::Or':
      return parts.some((part) => evaluateCondition(part, lookup));
    case 'Fn::Not':
      return !evaluateCondition(parts[0] ?? null, lookup);
    case 'Condition':
      return lookup.condition(requireText(argument));
    default:
      throw new TemplateError(`condition ${name} isn't known to the simulator`);
  }
}

function substitute(argument: Json, lookup: Lookup): string {
  const [template, own] = Array.isArray(argument) ? argument : [argument, {}];
  const values = (own ?? {}) as JsonObject;
  return requireText(template as Json).replace(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
    if (Object.hasOwn(values, name)) return requireText(resolve(values[name] as Json, lookup));
    const [resource = '', ...attribute] = name.split('.');
    return requireText(attribute.length > 0 ? lookup.attribute(resource, attribute.join('.')) : lookup.ref(name));
  });
}

const requireText = (value: Json): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TemplateError(`expected text: ${JSON.stringify(value)}`);
};
const requireList = (value: Json): readonly Json[] => {
  if (Array.isArray(value)) return value;
  throw new TemplateError(`expected a list: ${JSON.stringify(value)}`);
};
