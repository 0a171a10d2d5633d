import { type Json, type JsonObject, type Lookup, resolve, TemplateError } from '../assembly/intrinsics.js';
import type { Account } from './account.js';
import { limitsExceeded } from './limits.js';
import { ResourcesUnderWay } from './resources-under-way.js';
import { rollBackCreation, rollBackUpdate } from './rollback.js';
import { type DeployedStack, type Outcome, type Refusal, Refused, type StackStatus } from './state.js';
import { inOrderOfCreation, isSame, type Template } from './template.js';
import { valuesIn } from './values.js';

/** A stack as an assembly describes it. */
export interface StackToDeploy {
  readonly name: string;
  readonly template: JsonObject;
}

export interface DeployOptions {
  /** Logical id of the resource that its service refuses to create or update. */
  readonly failAt?: string;
  /**
   * Tells whether the operation continues in spite of a refusal, as if its cause were mended. Only what leaves the account consistent may
   * be: exports in use, and a second index. @default it ends
   */
  readonly tolerates?: (refusal: Refusal) => boolean;
}

/** States from which CloudFormation updates a stack: AWS CloudFormation, "Stack status codes". */
const UPDATABLE: readonly StackStatus[] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'];

/**
 * Creates or updates a stack, as the execution of a change set does: creations and updates in the order of dependencies, outputs, and
 * then the deletion of what was removed or replaced. Whatever is refused before that is rolled back.
 */
export function deployStack(
  account: Account,
  { name, template }: StackToDeploy,
  { failAt, tolerates = () => false }: DeployOptions = {},
): Outcome {
  const before = account.stacks.get(name);
  const early = refusedAtOnce(before, name, template);
  if (early.length > 0) return { stack: name, status: before?.status, refusals: early, changes: [] };
  const draft = new ResourcesUnderWay(account, before, name, template as Template, tolerates);
  try {
    const outputs = run(account, draft, failAt);
    const status = before ? 'UPDATE_COMPLETE' : 'CREATE_COMPLETE';
    account.stacks.set(name, {
      name,
      number: draft.number,
      status,
      terminationProtection: before?.terminationProtection ?? false,
      template,
      resources: draft.resources,
      ...outputs,
      imports: draft.imported,
    });
    const cleanUp = draft.cleanUp();
    return { stack: name, status, refusals: [], changes: [...draft.changes, ...cleanUp] };
  } catch (error) {
    const refusals = toRefusals(error, name);
    const { status, changes } = before ? rollBackUpdate(account, before, draft) : rollBackCreation(account, draft);
    return { stack: name, status, refusals, changes };
  }
}

function refusedAtOnce(before: DeployedStack | undefined, name: string, template: JsonObject): readonly Refusal[] {
  const exceeded = limitsExceeded(template, name).map((message) => ({ kind: 'limit' as const, stack: name, message }));
  if (!before || UPDATABLE.includes(before.status)) return exceeded;
  return [
    ...exceeded,
    { kind: 'status', stack: name, message: `Stack:${name} is in ${before.status} state and can not be updated.` },
  ];
}

type Published = Pick<DeployedStack, 'outputs' | 'exports'>;

/** @throws {Refused} @throws {TemplateError} */
function run(account: Account, draft: ResourcesUnderWay, failAt: string | undefined): Published {
  const { template, name } = draft;
  const lookup = valuesIn(account, draft);
  const all = Object.entries(template.Resources ?? {});
  const wanted = all.filter(([, { Condition }]) => Condition === undefined || lookup.condition(Condition));
  const definitions = Object.fromEntries(wanted);
  for (const logicalId of inOrderOfCreation(definitions)) {
    const definition = definitions[logicalId];
    if (!definition) continue;
    if (logicalId === failAt) {
      const message = `Resource handler returned message: "injected" (${definition.Type})`;
      throw new Refused({ kind: 'injected', stack: name, logicalId, message });
    }
    draft.apply(logicalId, definition, resolve(definition.Properties ?? {}, lookup) as JsonObject);
  }
  draft.dropAbsent(new Set(Object.keys(definitions)));
  return publish(account, draft, lookup);
}

/**
 * Returns the outputs and exports. AWS CloudFormation, "Fn::ImportValue": "You can't delete a stack if another stack references one of
 * its outputs. You can't modify or remove an output value that is referenced by another stack." Its "Outputs section": "For each AWS
 * account, Export names must be unique within a Region."
 */
function publish(account: Account, draft: ResourcesUnderWay, lookup: Lookup): Published {
  const { template, name } = draft;
  const outputs = new Map<string, Json>();
  const exports = new Map<string, Json>();
  for (const [key, { Value, Export, Condition }] of Object.entries(template.Outputs ?? {})) {
    if (Condition !== undefined && !lookup.condition(Condition)) continue;
    const value = resolve(Value, lookup);
    outputs.set(key, value);
    if (!Export) continue;
    const exported = String(resolve(Export.Name, lookup));
    const other = account.exporterOf(exported);
    if (other && other.name !== name) {
      const message = `Export with name ${exported} is already exported by stack ${other.name}`;
      throw new Refused({ kind: 'export-exists', stack: name, message });
    }
    exports.set(exported, value);
  }
  draft.refuse(...exportsInUse(account, draft, exports));
  return { outputs, exports };
}

/** Returns a refusal for each deployed export that another stack imports, and that goes or changes. */
function exportsInUse(
  account: Account,
  { name, before }: ResourcesUnderWay,
  present: ReadonlyMap<string, Json>,
): readonly Refusal[] {
  const outputs = Object.entries((before?.template as Template | undefined)?.Outputs ?? {});
  return [...(before?.exports ?? [])].flatMap(([exported, value]) => {
    const importedBy = account.importersOf(exported).filter((other) => other !== name);
    if (importedBy.length === 0 || isSame(present.get(exported), value)) return [];
    const verb = present.has(exported) ? 'updated' : 'deleted';
    const message = `Export ${exported} cannot be ${verb} as it is in use by ${importedBy.join(' and ')}`;
    // Names by which the CDK exports are literal.
    const output = outputs.find(([, { Export }]) => Export?.Name === exported)?.[0] ?? '';
    return [{ kind: 'export-in-use' as const, stack: name, message, exported: { name: exported, output, importedBy } }];
  });
}

function toRefusals(error: unknown, stack: string): readonly Refusal[] {
  if (error instanceof Refused) return error.refusals;
  if (error instanceof TemplateError) return [{ kind: 'template', stack, message: error.message }];
  throw error;
}
