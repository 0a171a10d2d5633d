import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, type JsonObject, TemplateError } from './intrinsics.js';

/** Metadata of constructs by their paths, as the CDK writes them beside the templates. */
export type ConstructMetadata = Readonly<Record<string, readonly { readonly type: string; readonly data?: Json }[]>>;

export interface Artifact {
  readonly type: string;
  /** `aws://<account>/<region>` */
  readonly environment?: string;
  readonly dependencies?: readonly string[];
  readonly displayName?: string;
  readonly properties?: {
    /** Folder of an assembly within this one: that of a stage. */
    readonly directoryName?: string;
    readonly templateFile?: string;
    readonly stackName?: string;
    readonly terminationProtection?: boolean;
  };
  readonly metadata?: ConstructMetadata;
  readonly additionalMetadataFile?: string;
}

/** `manifest.json` of a cloud assembly. */
export interface Manifest {
  readonly artifacts: Readonly<Record<string, Artifact>>;
}

/** A stack of an assembly, before anything in its template is resolved. */
export interface StackArtifact {
  readonly name: string;
  /** Name by which `cdk deploy` knows it: `prod/Orders`. */
  readonly displayName: string;
  readonly template: JsonObject;
  readonly terminationProtection: boolean;
  /** Names of the stacks that `cdk deploy` deploys first. */
  readonly dependencies: readonly string[];
  readonly metadata: ConstructMetadata;
}

/** Returns the content of a JSON file of an assembly. @param folder `cdk.out` */
export const readJson = (folder: string, file: string): JsonObject =>
  JSON.parse(readFileSync(join(folder, file), 'utf8')) as JsonObject;

/** @param folder `cdk.out` */
export const readManifest = (folder: string): Manifest => readJson(folder, 'manifest.json') as unknown as Manifest;

/** Returns the stacks in the order in which `cdk deploy --all` deploys them. @param folder `cdk.out` */
export function readStacks(folder: string, { artifacts } = readManifest(folder)): readonly StackArtifact[] {
  const stacks: StackArtifact[] = [];
  const done = new Set<string>();
  const isStack = ({ type, properties }: Artifact): boolean =>
    type === 'aws:cloudformation:stack' && properties?.templateFile !== undefined;
  const nameOf = (id: string): string => artifacts[id]?.properties?.stackName ?? id;
  const visit = (id: string): void => {
    const artifact = artifacts[id];
    if (!artifact || done.has(id)) return;
    done.add(id);
    for (const needed of artifact.dependencies ?? []) visit(needed);
    const { templateFile, terminationProtection = false } = artifact.properties ?? {};
    if (!isStack(artifact) || templateFile === undefined) return;
    const needed = (artifact.dependencies ?? []).filter((one) => artifacts[one] && isStack(artifacts[one]));
    stacks.push({
      name: nameOf(id),
      displayName: artifact.displayName ?? id,
      template: readJson(folder, templateFile),
      terminationProtection,
      dependencies: needed.map(nameOf),
      metadata: {
        ...artifact.metadata,
        ...(artifact.additionalMetadataFile !== undefined &&
          (readJson(folder, artifact.additionalMetadataFile) as unknown as ConstructMetadata)),
      },
    });
  };
  for (const id of Object.keys(artifacts)) visit(id);
  return stacks;
}

/** Maps logical ids to the full paths of their constructs: `/prod/Orders/PlaceOrder/Function/Resource`. */
export function readConstructPaths(metadata: ConstructMetadata): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const [path, entries] of Object.entries(metadata)) {
    for (const { type, data } of entries) {
      if (type === 'aws:cdk:logicalId' && typeof data === 'string') paths.set(data, path);
    }
  }
  return paths;
}

/**
 * Maps logical ids to the paths of their constructs without the environment and the trailing `Resource`. `Default` is left out, as
 * the CDK leaves it out of logical ids.
 */
export function readLabels(metadata: ConstructMetadata): ReadonlyMap<string, string> {
  const labels = [...readConstructPaths(metadata)].map(([logicalId, path]) => {
    const label = path.replace(/^\/[^/]+\//, '').replaceAll(/(?<=^|\/)Default\//g, '');
    return [logicalId, label.replace(/\/Resource$/, '')] as const;
  });
  return new Map(labels);
}

/**
 * Returns the folder whose stacks are the app: this one, or that of its only stage. AWS CDK, "Stages": the stacks of a `Stage` are an
 * assembly of their own in a folder below. Stacks of a pipeline only deploy them.
 * @param folder `cdk.out`
 * @throws {TemplateError} if there are several to choose from
 */
export function findAppFolder(folder: string): string {
  const stages = listStages(folder);
  if (stages.length === 0) return folder;
  const own = readStacks(folder).filter(({ template }) => !isPipeline(template));
  const [only] = stages;
  if (own.length === 0 && stages.length === 1 && only !== undefined) return only;
  const all = [...(own.length > 0 ? [`the stacks ${own.map(({ name }) => name).join(', ')}`] : []), ...stages];
  throw new TemplateError(`${folder} has several apps (${all.join('; ')}): name the folder of one stage`);
}

/** Lists the folders of all stages that have stacks. */
const listStages = (folder: string): readonly string[] =>
  Object.values(readManifest(folder).artifacts).flatMap(({ type, properties }) => {
    if (type !== 'cdk:cloud-assembly' || properties?.directoryName === undefined) return [];
    const stage = join(folder, properties.directoryName);
    return [...(readStacks(stage).length > 0 ? [stage] : []), ...listStages(stage)];
  });

const isPipeline = ({ Resources = {} }: JsonObject): boolean =>
  Object.values(Resources as JsonObject).some(
    (resource) => (resource as JsonObject).Type === 'AWS::CodePipeline::Pipeline',
  );
