import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT, attributeOf, type Identity, identityOf, PARTITION, REGION } from './identity.js';
import { holds, type Json, type JsonObject, type Lookup, resolve, TemplateError } from './intrinsics.js';

/** A resource of a template as it would be deployed. */
export interface Resource extends Identity {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  /** Path of its construct without the environment and the trailing `Resource`: `Orders/PlaceOrder/Function`. */
  readonly label: string;
  /** The properties, with intrinsic functions resolved. */
  readonly properties: JsonObject;
}

interface Template {
  readonly Resources?: Record<string, { Type: string; Properties?: JsonObject; Condition?: string }>;
  readonly Parameters?: Record<string, { Default?: Json }>;
  readonly Conditions?: Record<string, Json>;
  readonly Mappings?: Record<string, Record<string, Record<string, Json>>>;
  readonly Outputs?: Record<string, { Value: Json; Export?: { Name: Json }; Condition?: string; Description?: string }>;
}

interface Manifest {
  readonly artifacts: Record<
    string,
    {
      readonly type: string;
      readonly dependencies?: readonly string[];
      readonly displayName?: string;
      readonly properties?: { readonly templateFile?: string; readonly stackName?: string };
      readonly metadata?: Record<string, readonly { readonly type: string; readonly data?: Json }[]>;
      readonly additionalMetadataFile?: string;
    }
  >;
}

/** A stack as its template describes it. */
export interface Stack {
  readonly name: string;
  readonly template: JsonObject;
  readonly outputs: readonly {
    readonly key: string;
    readonly value: Json;
    readonly description?: string;
    readonly exportName?: string;
  }[];
}

/** Changes a template before it is used: for planted bugs. */
export type TemplateChange = (template: JsonObject, stack: string) => JsonObject;

/** A cloud assembly: the output of `cdk synth` and input of `cdk deploy`, with every name filled in. */
export class Assembly {
  readonly resources: Resource[] = [];
  /** Stacks in the order of their deployment. */
  readonly stacks: Stack[] = [];
  /** Outputs by `<stack>.<output>`. */
  readonly outputs = new Map<string, Json>();
  private readonly exports = new Map<string, Json>();
  private readonly byType = new Map<string, Resource[]>();
  /** Resources by ARN, and by the value of a reference to them. */
  private readonly byName = new Map<Json | undefined, Resource>();

  /** @param folder `cdk.out` @throws {TemplateError} */
  constructor(
    readonly folder: string,
    change: TemplateChange = (template) => template,
  ) {
    const { artifacts } = this.read('manifest.json') as unknown as Manifest;
    const done = new Set<string>();
    const deploy = (id: string): void => {
      const artifact = artifacts[id];
      if (!artifact || done.has(id)) return;
      done.add(id);
      for (const needed of artifact.dependencies ?? []) deploy(needed);
      const { templateFile, stackName = id } = artifact.properties ?? {};
      if (artifact.type !== 'aws:cloudformation:stack' || templateFile === undefined) return;
      const metadata = {
        ...artifact.metadata,
        ...(artifact.additionalMetadataFile !== undefined && this.read(artifact.additionalMetadataFile)),
      } as NonNullable<(typeof artifact)['metadata']>;
      this.stack(stackName, change(this.read(templateFile), stackName), labelsOf(metadata));
    };
    for (const id of Object.keys(artifacts)) deploy(id);
  }

  ofType(type: string): readonly Resource[] {
    return this.byType.get(type) ?? [];
  }

  /** @throws {TemplateError} if there is none @param arn or reference */
  byArn(arn: Json | undefined): Resource {
    const found = this.byName.get(arn);
    if (!found) throw new TemplateError(`there is no resource ${JSON.stringify(arn)}`);
    return found;
  }

  /** Returns the folder of a function's code. */
  assetOf(code: Json | undefined): string {
    const key = (code as { S3Key?: Json } | undefined)?.S3Key;
    if (typeof key !== 'string') throw new TemplateError('a function whose code is no asset of this assembly');
    return join(this.folder, `asset.${key.replace(/\.zip$/, '')}`);
  }

  private read(file: string): JsonObject {
    return JSON.parse(readFileSync(join(this.folder, file), 'utf8')) as JsonObject;
  }

  private stack(name: string, body: JsonObject, labels: ReadonlyMap<string, string>): void {
    const template = body as Template;
    const resources = template.Resources ?? {};
    const identities = new Map<string, Identity>();
    const conditions = new Map<string, boolean>();
    const lookup: Lookup = {
      ref: (of) => {
        if (of in PSEUDO) return PSEUDO[of] as Json;
        if (of === 'AWS::StackName') return name;
        if (of === 'AWS::StackId')
          return `arn:${PARTITION}:cloudformation:${REGION}:${ACCOUNT}:stack/${name}/simulated`;
        const parameter = template.Parameters?.[of];
        if (parameter) return parameter.Default ?? '';
        return identify(of).ref;
      },
      attribute: (of, attribute) => attributeOf(identify(of), attribute),
      imported: (of) => {
        const value = this.exports.get(of);
        if (value === undefined) throw new TemplateError(`${name}: nothing is exported as ${of}`);
        return value;
      },
      condition: (of) => {
        const known = conditions.get(of);
        if (known !== undefined) return known;
        const result = holds(template.Conditions?.[of] ?? null, lookup);
        conditions.set(of, result);
        return result;
      },
      mapping: (map, key, second) => template.Mappings?.[map]?.[key]?.[second] ?? null,
    };
    const identify = (logicalId: string): Identity => {
      const known = identities.get(logicalId);
      if (known) return known;
      const resource = resources[logicalId];
      if (!resource) throw new TemplateError(`${name}: there is no ${logicalId} to refer to`);
      // Only the properties that form the name are resolved, because the others may refer back to this resource.
      const { EventBusName = null, ...named } = Object.fromEntries(
        Object.entries(resource.Properties ?? {}).filter(
          ([property, value]) => property === 'EventBusName' || (/Name$/.test(property) && typeof value === 'string'),
        ),
      );
      const bus = EventBusName === null ? {} : { EventBusName: resolve(EventBusName, lookup) };
      const identity = identityOf(resource.Type, `${name}-${logicalId}`, { ...named, ...bus });
      identities.set(logicalId, identity);
      return identity;
    };
    for (const [logicalId, { Type, Properties = {}, Condition }] of Object.entries(resources)) {
      if (Condition !== undefined && !lookup.condition(Condition)) continue;
      this.add({
        ...identify(logicalId),
        stack: name,
        logicalId,
        type: Type,
        label: labels.get(logicalId) ?? `${name}/${logicalId}`,
        properties: resolve(Properties, lookup) as JsonObject,
      });
    }
    const outputs: Stack['outputs'][number][] = [];
    for (const [key, { Value, Export, Condition, Description }] of Object.entries(template.Outputs ?? {})) {
      if (Condition !== undefined && !lookup.condition(Condition)) continue;
      const value = resolve(Value, lookup);
      const exportName = Export && String(resolve(Export.Name, lookup));
      this.outputs.set(`${name}.${key}`, value);
      if (exportName !== undefined) this.exports.set(exportName, value);
      outputs.push({
        key,
        value,
        ...(Description !== undefined && { description: Description }),
        ...(exportName !== undefined && { exportName }),
      });
    }
    this.stacks.push({ name, template: body, outputs });
  }

  private add(resource: Resource): void {
    const { type, arn, ref } = resource;
    this.resources.push(resource);
    this.byType.set(type, [...this.ofType(type), resource]);
    for (const name of [arn, ref]) if (!this.byName.has(name)) this.byName.set(name, resource);
  }
}

const PSEUDO: JsonObject = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': PARTITION,
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NotificationARNs': [],
};

/**
 * Maps logical ids to the paths of their constructs, as the CDK writes them beside the templates. `Default` is left out, as
 * the CDK leaves it out of logical ids.
 */
function labelsOf(metadata: Readonly<Record<string, readonly { type: string; data?: Json }[]>>): Map<string, string> {
  const labels = new Map<string, string>();
  for (const [path, entries] of Object.entries(metadata)) {
    const label = path
      .replace(/^\/[^/]+\//, '')
      .replaceAll(/(?<=^|\/)Default\//g, '')
      .replace(/\/Resource$/, '');
    for (const { type, data } of entries) {
      if (type === 'aws:cdk:logicalId' && typeof data === 'string') labels.set(data, label);
    }
  }
  return labels;
}
