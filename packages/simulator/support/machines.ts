import type { Json } from '../assembly/intrinsics.js';
import type { Cloud } from '../cloud/cloud.js';
import type { CloudOptions } from '../cloud/cloud-options.js';
import { allowStatement, createCloud } from './clouds.js';

/** ARN of the machine that `machineResource` makes. */
export const MACHINE = 'arn:aws:states:eu-west-1:123456789012:stateMachine:order';

/** Returns a state machine with a role, as resources `Machine`, `MachineRole`, `MachinePolicy`. @param actions that its role allows */
export const machineResource = (
  states: { readonly [name: string]: Json },
  actions: readonly string[] = [],
  { type = 'STANDARD', ...more }: { readonly type?: string; readonly [field: string]: Json | undefined } = {},
) => ({
  Machine: {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: {
      StateMachineName: 'order',
      StateMachineType: type,
      RoleArn: { 'Fn::GetAtt': ['MachineRole', 'Arn'] },
      DefinitionString: JSON.stringify({ StartAt: Object.keys(states)[0] ?? '', States: states, ...more }),
    },
  },
  MachineRole: { Type: 'AWS::IAM::Role', Properties: {} },
  MachinePolicy: {
    Type: 'AWS::IAM::Policy',
    Properties: {
      Roles: [{ Ref: 'MachineRole' }],
      PolicyDocument: { Statement: actions.length === 0 ? [] : [allowStatement(actions, '*')] },
    },
  },
});

/** Creates a cloud with one state machine. */
export const createMachine = (
  states: { readonly [name: string]: Json },
  more: Parameters<typeof createCloud>[0] = {},
  code: Readonly<Record<string, string>> = {},
  options: Partial<CloudOptions> = {},
): Cloud => createCloud({ ...machineResource(states, ['*']), ...more }, code, options);

/** Starts an execution and lets the world run until it settles. @returns what became of it */
export async function execute({ machines, world }: Cloud, input: Json = {}) {
  const execution = machines.start(MACHINE, { input: JSON.stringify(input) });
  await world.settle();
  return execution;
}
