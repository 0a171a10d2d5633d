import { readFileSync } from 'node:fs';
import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import { AssemblyNotModelled } from '../../assembly/obstacles.js';
import { DefinitionReader, type Machine } from './definition.js';
import { functionNameOf } from './integration.js';

/** A state machine of a template. */
export class StateMachine {
  readonly label: string;
  readonly name: string;
  /** ARN of the role with which its tasks call. */
  readonly role: string;
  readonly isExpress: boolean;
  /** Its definition as text. */
  readonly text: string;
  readonly machine: Machine;
  /** Calls of its tasks so far. */
  calls = 0;
  /** Executions so far. */
  starts = 0;

  /** @throws {AssemblyNotModelled} names each state that isn't modelled */
  constructor(
    readonly resource: Resource,
    assembly: Assembly,
  ) {
    const { properties, type, label } = resource;
    this.label = label;
    this.name = resource.attributes.Name ?? resource.ref;
    this.role = String(properties.RoleArn);
    this.isExpress = properties.StateMachineType === 'EXPRESS';
    this.text = readDefinition(resource, assembly);
    const functions = new Set(assembly.findByType('AWS::Lambda::Function').map(({ ref }) => ref));
    const machines = new Set(assembly.findByType('AWS::StepFunctions::StateMachine').map(({ arn }) => arn));
    const reader = new DefinitionReader({
      isExpress: this.isExpress,
      hasFunction: (name) => functions.has(functionNameOf(name)),
      hasMachine: (arn) => machines.has(arn),
    });
    this.machine = reader.read(JSON.parse(this.text) as JsonObject);
    if (reader.problems.length > 0)
      throw new AssemblyNotModelled(reader.problems.map((what) => ({ type, label, what, mayBeIgnored: false })));
  }
}

/** AWS CloudFormation, "AWS::StepFunctions::StateMachine": a text, an object, or a file, in which `${name}` is substituted. */
function readDefinition({ properties, label }: Resource, assembly: Assembly): string {
  const { DefinitionString, Definition, DefinitionS3Location, DefinitionSubstitutions = {} } = properties;
  const given =
    DefinitionString !== undefined
      ? String(DefinitionString)
      : Definition === undefined
        ? readAsset((DefinitionS3Location ?? {}) as JsonObject, label, assembly)
        : JSON.stringify(Definition);
  const values = DefinitionSubstitutions as JsonObject;
  return given.replace(/\$\{([^{}]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

function readAsset({ Key }: JsonObject, label: string, assembly: Assembly): string {
  if (Key === undefined) throw new Error(`${label}: it has no definition`);
  return readFileSync(assembly.assetFolder({ S3Key: Key }), 'utf8');
}
