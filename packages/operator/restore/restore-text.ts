import type { CommandContext } from '../cli/context.js';

/** Returns the words of a command with its environment, so that it can be pasted. */
export const withEnvironment = (
  { environment }: Pick<CommandContext, 'environment'>,
  ...words: readonly string[]
): readonly string[] => [...words, ...(environment === 'dev' ? [] : ['--environment', environment])];

/** Says how the epoch of a service is raised: a setting and a deployment. */
export const describeDeployment = (
  { environment, deployment }: Pick<CommandContext, 'environment' | 'deployment'>,
  service: string,
  epoch: number,
): readonly string[] => [
  `set epochs: { ${service}: ${epoch} } of '${environment}' in ${deployment?.settings ?? 'the settings'}`,
  deployment?.command(environment) ?? 'deploy its stack',
];
