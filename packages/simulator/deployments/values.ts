import { identifyResource, PARTITION, readAttribute } from '../assembly/identity.js';
import { evaluateCondition, type Json, type Lookup } from '../assembly/intrinsics.js';
import { type Account, stackId } from './account.js';
import { type PhysicalResource, Refused } from './state.js';
import type { Template } from './template.js';

/** The stack that an operation works on, as far as it has come. */
export interface StackUnderWay {
  readonly name: string;
  readonly number: number;
  readonly template: Template;
  /** @throws {TemplateError} if the resource is not there */
  resource(logicalId: string): PhysicalResource;
  /** Records that an export of another stack is used. */
  imports(name: string): void;
}

/** Returns the values that the intrinsic functions of a stack's template have in the account. */
export function valuesIn(account: Account, stack: StackUnderWay): Lookup {
  const { home } = account;
  const conditions = new Map<string, boolean>();
  const pseudo: Readonly<Record<string, Json>> = {
    'AWS::AccountId': home.account,
    'AWS::Region': home.region,
    'AWS::Partition': PARTITION,
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::NotificationARNs': [],
    'AWS::StackName': stack.name,
    'AWS::StackId': stackId(home, stack),
  };
  const identify = ({ type, called, properties }: PhysicalResource) => identifyResource(type, called, properties, home);
  const lookup: Lookup = {
    ref: (name) => {
      if (Object.hasOwn(pseudo, name)) return pseudo[name] as Json;
      const parameter = stack.template.Parameters?.[name];
      return parameter ? (parameter.Default ?? '') : identify(stack.resource(name)).ref;
    },
    attribute: (name, attribute) => {
      const resource = stack.resource(name);
      // An unknown one differs from all others, which is what decides whether a value changes.
      return readAttribute(identify(resource), attribute) ?? home.arn('attribute', `${resource.id}/${attribute}`);
    },
    imported: (name) => {
      const value = account.exporterOf(name)?.exports.get(name);
      if (value === undefined) {
        const message = `No export named ${name} found`;
        throw new Refused({ kind: 'import-missing', stack: stack.name, message });
      }
      stack.imports(name);
      return value;
    },
    stackOutput: (other, output) => {
      const value = account.stacks.get(other.split('/')[1] ?? other)?.outputs.get(output);
      if (value !== undefined) return value;
      const message = `Stack ${other} has no output ${output}`;
      throw new Refused({ kind: 'import-missing', stack: stack.name, message });
    },
    condition: (name) => {
      const known = conditions.get(name);
      if (known !== undefined) return known;
      const result = evaluateCondition(stack.template.Conditions?.[name] ?? null, lookup);
      conditions.set(name, result);
      return result;
    },
    mapping: (map, key, second) => stack.template.Mappings?.[map]?.[key]?.[second] ?? null,
  };
  return lookup;
}
