import { Assembly, type StackSource } from './assembly.js';
import { TemplateError } from './intrinsics.js';
import { findAppFolder, readStacks } from './manifest.js';

/** Reads names of stacks on a command line: `Chat,Emails`. */
export const parseNames = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Reads an assembly. @param without stacks that are left out. @default none @throws {TemplateError} */
export const readAssembly = (folder: string, without: readonly string[] = []): Assembly =>
  new Assembly(folder, undefined, without.length === 0 ? undefined : withoutStacks(folder, without));

/**
 * Returns the stacks of an assembly without some, which keep others from running here. What a stack that stays imports of them is unknown then.
 * @param named `cdk.out`, or the folder of a stage
 * @param names of stacks, as CloudFormation or `cdk deploy` knows them
 * @throws {TemplateError} if there is no such stack
 */
function withoutStacks(named: string, names: readonly string[]): readonly StackSource[] {
  const folder = findAppFolder(named);
  const stacks = readStacks(folder);
  const unknown = names.filter((name) => !stacks.some((stack) => name === stack.name || name === stack.displayName));
  if (unknown.length > 0)
    throw new TemplateError(
      `${named} has no stack ${unknown.join(', ')}; there are: ${stacks.map(({ displayName }) => displayName).join(', ')}`,
    );
  return stacks
    .filter(({ name, displayName }) => !names.includes(name) && !names.includes(displayName))
    .map((stack) => ({ folder, stack }));
}
