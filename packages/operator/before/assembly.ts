import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../cli/errors.js';
import type { DeployedResource } from '../doctor/deployed-resources.js';

/** A resource as its template wants it, before it has a name. */
export type PlannedResource = Pick<DeployedResource, 'stack' | 'logicalId' | 'type' | 'properties'>;

interface Manifest {
  readonly artifacts?: Readonly<
    Record<
      string,
      { readonly type: string; readonly properties?: { readonly stackName?: string; readonly templateFile?: string } }
    >
  >;
}

interface Template {
  readonly Resources?: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: PlannedResource['properties'] }>
  >;
}

/**
 * Reads the resources of an environment's stacks from a cloud assembly, as `cdk synth` makes it.
 * @param folder with `manifest.json`
 * @param prefix of the names of the environment's stacks
 * @throws {OperatorError} `not-found` if there is no assembly, or none of this environment
 */
export function readPlannedResources(folder: string, prefix: string): readonly PlannedResource[] {
  const synthesize = 'npx cdk synth --quiet, with the same -c options as the deployment (-c environment=...)';
  const read = <Content>(file: string): Content => {
    try {
      return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Content;
    } catch (cause) {
      const message = `No cloud assembly in '${folder}': ${file} can't be read.`;
      throw new OperatorError('not-found', message, synthesize, { cause });
    }
  };
  const { artifacts = {} } = read<Manifest>('manifest.json');
  const stacks = Object.values(artifacts).flatMap(({ type, properties: { stackName = '', templateFile } = {} }) =>
    type === 'aws:cloudformation:stack' && templateFile !== undefined && stackName.startsWith(prefix)
      ? [{ stack: stackName.slice(prefix.length), templateFile }]
      : [],
  );
  if (stacks.length === 0) {
    const message = `The cloud assembly in '${folder}' has no stack whose name begins with '${prefix}'.`;
    throw new OperatorError('not-found', message, synthesize);
  }
  return stacks.flatMap(({ stack, templateFile }) =>
    Object.entries(read<Template>(templateFile).Resources ?? {}).map(
      ([logicalId, { Type: type, Properties: properties = {} }]) => ({ stack, logicalId, type, properties }),
    ),
  );
}
