import { existsSync } from 'node:fs';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { assetName, guessAsset, readAssets } from './assets.js';
import { answerReference, isRunType } from './custom-resources.js';
import {
  AccountAndRegion,
  DEFAULT_ACCOUNT_AND_REGION,
  identifyResource,
  PARTITION,
  type ResourceIdentity,
  readAttribute,
} from './identity.js';
import { evaluateCondition, type Json, type JsonObject, type Lookup, resolve, TemplateError } from './intrinsics.js';
import { findAppFolder, type Manifest, readLabels, readManifest, readStacks, type StackArtifact } from './manifest.js';
import { unzip } from './unzip.js';

/** A resource of a template as it would be deployed. */
export interface Resource extends ResourceIdentity {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  /**
   * Path of its construct without the environment and the trailing `Resource`: `Orders/PlaceOrder/Function`. The stack's name is before it
   * where constructs of several stacks have the same.
   */
  readonly label: string;
  /** The properties, with intrinsic functions resolved. */
  readonly properties: JsonObject;
}

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: JsonObject;
  readonly Condition?: string;
}

interface Template {
  readonly Resources?: Record<string, TemplateResource>;
  readonly Parameters?: Record<string, { Type?: string; Default?: Json }>;
  readonly Conditions?: Record<string, Json>;
  readonly Mappings?: Record<string, Record<string, Record<string, Json>>>;
  readonly Outputs?: Record<string, { Value: Json; Export?: { Name: Json }; Condition?: string; Description?: string }>;
}

/** A property of a template that takes the value of a parameter. */
export interface Use {
  /** Type of the resource; nothing for an output or a condition. */
  readonly type: string;
  /** Name of the property. */
  readonly property: string;
}

/** A stack as its template describes it. */
export interface Stack {
  readonly name: string;
  readonly template: JsonObject;
  /** Whether its deletion is refused. */
  readonly terminationProtection: boolean;
  readonly outputs: readonly {
    readonly key: string;
    readonly value: Json;
    readonly description?: string;
    readonly exportName?: string;
  }[];
}

/** Changes a template before it is used: for planted bugs. */
export type TemplateChange = (template: JsonObject, stack: string) => JsonObject;

/** A stack, and the folder of the assembly that has its template and the code of its functions. */
export interface StackSource {
  readonly folder: string;
  readonly stack: StackArtifact;
}

/** A cloud assembly: the output of `cdk synth` and input of `cdk deploy`, with every name filled in. */
export class Assembly {
  readonly resources: Resource[] = [];
  /** Account and region of all its stacks. */
  readonly home: AccountAndRegion;
  /** Stacks in the order of their deployment. */
  readonly stacks: Stack[] = [];
  /** Outputs by `<stack>.<output>`. */
  readonly outputs = new Map<string, Json>();
  /** Attributes that something refers to, and whose value the model of the resource's type doesn't know. */
  readonly unknownAttributes: { readonly type: string; readonly label: string; readonly attribute: string }[] = [];
  /** Properties that can't be resolved, each with the reason. They are left out. */
  readonly unresolved: { readonly type: string; readonly label: string; readonly what: string }[] = [];
  /** Parameters of Systems Manager whose values templates take when they are deployed, and that no earlier stack has. */
  readonly unknownParameters: { readonly name: string; readonly uses: readonly Use[] }[] = [];
  /** Values that stacks import, and that no earlier stack exports: those of another app. */
  readonly unknownImports: { readonly stack: string; readonly export: string }[] = [];
  private readonly exports = new Map<string, Json>();
  /** Values that stand for attributes which aren't known. */
  private readonly unknownValues: string[] = [];
  private readonly byType = new Map<string, Resource[]>();
  /** Resources by ARN, and by the value of a reference to them. */
  private readonly byName = new Map<Json | undefined, Resource>();

  /** Folders of its assets. */
  private readonly folders: readonly string[];
  /** Paths of its assets by their keys in S3. */
  private assetsByKey: ReadonlyMap<string, string> | undefined;

  /** Folder of its stacks: `cdk.out`, or that of a stage below. */
  readonly folder: string;

  /**
   * @param named `cdk.out`, or the folder of a stage
   * @param sources its stacks, each after those that it needs, if some are of other assemblies. @default those of the folder
   * @throws {TemplateError}
   */
  constructor(named: string, change: TemplateChange = (template) => template, sources?: readonly StackSource[]) {
    const folder = findAppFolder(named);
    this.folder = folder;
    const manifest = readManifest(folder);
    this.home = resolveAccount(manifest);
    const stacks = sources ?? readStacks(folder, manifest).map((stack) => ({ folder, stack }));
    // Assets of a stage are in the folder of the app.
    const folders = [folder, ...stacks.map((source) => source.folder)];
    this.folders = [...new Set([...folders, ...folders.map((one) => dirname(resolvePath(one)))])];
    const labels = stacks.map(({ stack }) => readLabels(stack.metadata));
    const shared = findShared(labels);
    for (const [at, { stack }] of stacks.entries())
      this.stack(stack, change(stack.template, stack.name), (logicalId) => {
        const label = labels[at]?.get(logicalId);
        return label === undefined || shared.has(label) ? `${stack.name}/${label ?? logicalId}` : label;
      });
  }

  findByType(type: string): readonly Resource[] {
    return this.byType.get(type) ?? [];
  }

  /** @throws {TemplateError} if there is none @param arn or reference */
  findByArn(arn: Json | undefined): Resource {
    const found = this.byName.get(arn);
    if (!found) throw new TemplateError(`there is no resource ${JSON.stringify(arn)}`);
    return found;
  }

  /** Returns the folder of a function's code, or of a layer. A zip file is unpacked. */
  assetFolder(code: Json | undefined): string {
    const key = (code as { S3Key?: Json } | undefined)?.S3Key;
    if (typeof key !== 'string') throw new TemplateError('a function whose code is no asset of this assembly');
    const named = this.assets().get(key);
    const path = named !== undefined && existsSync(named) ? named : guessAsset(this.folders, key);
    if (path?.endsWith('.zip')) return unzip(path);
    // Node's `require` takes no relative path.
    return resolvePath(path ?? join(this.folder, assetName(key)));
  }

  private assets(): ReadonlyMap<string, string> {
    this.assetsByKey ??= readAssets(this.folders, this.home);
    return this.assetsByKey;
  }

  /** Returns the value of a parameter of Systems Manager; its name, if no earlier stack has it. */
  private readStored(name: Json = '', uses: () => readonly Use[]): Json {
    const stored = this.findByType('AWS::SSM::Parameter').find(({ properties: { Name } }) => Name === name);
    if (!stored) this.unknownParameters.push({ name: String(name), uses: uses() });
    return stored?.properties.Value ?? name;
  }

  private stack(
    { name, terminationProtection }: StackArtifact,
    body: JsonObject,
    labelOf: (logicalId: string) => string,
  ): void {
    const template = body as Template;
    const resources = template.Resources ?? {};
    const identities = new Map<string, ResourceIdentity>();
    const conditions = new Map<string, boolean>();
    const lookup: Lookup = {
      ref: (of) => {
        const pseudo = pseudoParameters(this.home);
        if (of in pseudo) return pseudo[of] as Json;
        if (of === 'AWS::StackName') return name;
        if (of === 'AWS::StackId') return this.home.arn('cloudformation', `stack/${name}/simulated`);
        const parameter = template.Parameters?.[of];
        if (parameter)
          return STORED.test(parameter.Type ?? '')
            ? this.readStored(parameter.Default, () => findUses(template, of))
            : (parameter.Default ?? '');
        if (isRunType(resources[of]?.Type ?? '')) return answerReference(`${name}/${of}`, 'Ref');
        return identify(of).ref;
      },
      attribute: (of, attribute) => {
        if (isRunType(resources[of]?.Type ?? '')) return answerReference(`${name}/${of}`, attribute);
        const identity = identify(of);
        const value = readAttribute(identity, attribute) ?? readOwnProperty(resources[of], attribute, lookup);
        if (value !== undefined) return value;
        this.unknownAttributes.push({
          type: resources[of]?.Type ?? '',
          label: labelOf(of),
          attribute,
        });
        const standsForIt = `${identity.ref}.${attribute}`;
        this.unknownValues.push(standsForIt);
        return standsForIt;
      },
      imported: (of) => {
        const value = this.exports.get(of);
        if (value === undefined) this.unknownImports.push({ stack: name, export: of });
        // Most imports are ARNs, of which templates take parts.
        return value ?? this.home.arn('imported', `value:${of}`);
      },
      stackOutput: (stack, output, region) => {
        if (region !== undefined && region !== this.home.region)
          throw new TemplateError(`${name}: Fn::GetStackOutput of ${region}; one region can be played`);
        const value = this.outputs.get(`${stack}.${output}`);
        if (value === undefined) throw new TemplateError(`${name}: stack ${stack} has no output ${output}`);
        return value;
      },
      condition: (of) => {
        const known = conditions.get(of);
        if (known !== undefined) return known;
        const result = evaluateCondition(template.Conditions?.[of] ?? null, lookup);
        conditions.set(of, result);
        return result;
      },
      mapping: (map, key, second) => template.Mappings?.[map]?.[key]?.[second] ?? null,
      isUnknown: (value) => typeof value === 'string' && this.unknownValues.some((one) => value.includes(one)),
    };
    const identify = (logicalId: string): ResourceIdentity => {
      const known = identities.get(logicalId);
      if (known) return known;
      const resource = resources[logicalId];
      if (!resource) throw new TemplateError(`${name}: there is no ${logicalId} to refer to`);
      // Only the properties that form the name are resolved, because the others may refer back to this resource.
      const named = Object.entries(resource.Properties ?? {}).flatMap(([property, value]): [string, Json][] => {
        if (PARTS_OF_NAMES[resource.Type] === property) return [[property, resolve(value, lookup)]];
        return /Name$/.test(property) && typeof value === 'string' ? [[property, value]] : [];
      });
      const identity = identifyResource(resource.Type, `${name}-${logicalId}`, Object.fromEntries(named), this.home);
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
        label: labelOf(logicalId),
        properties: this.resolveProperties({ type: Type, label: labelOf(logicalId) }, Properties, lookup),
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
    this.stacks.push({ name, template: body, terminationProtection, outputs });
  }

  /** Resolves what can be resolved, and remembers what can't. */
  private resolveProperties(of: { type: string; label: string }, properties: JsonObject, lookup: Lookup): JsonObject {
    const resolved = Object.entries(properties).map(([property, value]) => {
      try {
        return resolve({ [property]: value }, lookup) as JsonObject;
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        this.unresolved.push({ ...of, what: `${property}: ${error.message}` });
        return {};
      }
    });
    return Object.assign({}, ...resolved) as JsonObject;
  }

  private add(resource: Resource): void {
    const { type, arn, ref } = resource;
    this.resources.push(resource);
    this.byType.set(type, [...this.findByType(type), resource]);
    // They have the name of their function.
    if (['AWS::Lambda::Alias', 'AWS::Lambda::Url', 'AWS::Lambda::Version'].includes(type)) return;
    for (const name of [arn, ref]) if (!this.byName.has(name)) this.byName.set(name, resource);
  }
}

/** Types of parameters with a value of Systems Manager. AWS CloudFormation, "Specify existing resources at runtime with CloudFormation-supplied parameter types". */
const STORED = /^AWS::SSM::Parameter::Value</;

/** Returns the properties that take the value of a parameter. */
function findUses({ Resources = {}, Conditions, Outputs }: Template, parameter: string): readonly Use[] {
  const takes = (value: unknown): boolean => {
    const text = JSON.stringify(value) ?? '';
    return text.includes(`{"Ref":"${parameter}"}`) || text.includes(`\${${parameter}}`);
  };
  const ofResources = Object.values(Resources).flatMap(({ Type: type, Properties = {} }) =>
    Object.entries(Properties).flatMap(([property, value]) => (takes(value) ? [{ type, property }] : [])),
  );
  return takes([Conditions, Outputs]) ? [...ofResources, { type: '', property: '' }] : ofResources;
}

/** Returns an attribute that is a property of the same name. AWS CloudFormation, "AWS::SSM::Parameter", "Return values". */
function readOwnProperty(resource: TemplateResource | undefined, name: string, lookup: Lookup): Json | undefined {
  if (resource?.Type !== 'AWS::SSM::Parameter' || !['Type', 'Value'].includes(name)) return undefined;
  return resolve(resource.Properties?.[name] ?? null, lookup);
}

/** Returns the labels that constructs of several stacks have. */
function findShared(all: readonly ReadonlyMap<string, string>[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const labels of all)
    for (const label of new Set(labels.values())) {
      if (seen.has(label)) shared.add(label);
      seen.add(label);
    }
  return shared;
}

/** The property of a type that refers to another resource, and is a part of the name. */
const PARTS_OF_NAMES: Readonly<Record<string, string>> = {
  'AWS::Cognito::UserPoolDomain': 'Domain',
  'AWS::Cognito::UserPoolResourceServer': 'Identifier',
  'AWS::Events::Rule': 'EventBusName',
  'AWS::Lambda::Alias': 'FunctionName',
  'AWS::Lambda::Url': 'TargetFunctionArn',
  'AWS::Lambda::Version': 'FunctionName',
  'AWS::SQS::Queue': 'FifoQueue',
  'AWS::Scheduler::Schedule': 'GroupName',
};

const pseudoParameters = ({ account, region }: AccountAndRegion): JsonObject => ({
  'AWS::AccountId': account,
  'AWS::Region': region,
  'AWS::Partition': PARTITION,
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NotificationARNs': [],
});

/**
 * Returns the environment of the stacks: AWS CDK, "Environments". What they leave open (`unknown-account`) is as usual here.
 * @throws {TemplateError} if there are several: one cloud is one account in one region
 */
function resolveAccount({ artifacts }: Manifest): AccountAndRegion {
  const stacks = Object.values(artifacts).filter(({ type }) => type === 'aws:cloudformation:stack');
  const environments = [...new Set(stacks.flatMap(({ environment }) => environment ?? []))];
  const known = environments.map((one) => /^aws:\/\/([^/]+)\/([^/]+)$/.exec(one) ?? []);
  const [accounts, regions] = [1, 2].map(
    (part) =>
      new Set(known.flatMap((one) => (one[part] === undefined || one[part].startsWith('unknown-') ? [] : one[part]))),
  ) as [Set<string>, Set<string>];
  if (accounts.size > 1 || regions.size > 1)
    throw new TemplateError(
      `the assembly is for several environments (${environments.join(', ')}): one account in one region can be played, so synthesize the stacks of one of them`,
    );
  const [account = DEFAULT_ACCOUNT_AND_REGION.account] = accounts;
  const [region = DEFAULT_ACCOUNT_AND_REGION.region] = regions;
  return new AccountAndRegion(account, region);
}
