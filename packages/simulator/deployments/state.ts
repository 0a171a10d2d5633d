import type { Json, JsonObject } from '../assembly/intrinsics.js';
import type { ResourceDefinition } from './template.js';

/** States of a stack between two operations: AWS CloudFormation, "Stack status codes". */
export type StackStatus =
  | 'CREATE_COMPLETE'
  | 'UPDATE_COMPLETE'
  | 'UPDATE_ROLLBACK_COMPLETE'
  | 'ROLLBACK_COMPLETE'
  | 'ROLLBACK_FAILED'
  | 'DELETE_FAILED';

/** Something that exists in the account, whether or not a stack has it. */
export interface PhysicalResource {
  /** Unique in the account. */
  readonly id: string;
  readonly type: string;
  /** Its name: the template's, or one that CloudFormation made. */
  readonly called: string;
  /** Name that no other resource of its type may have, or undefined if CloudFormation made it. */
  readonly name: string | undefined;
  /** Stack and logical id that created it. */
  readonly stack: string;
  readonly logicalId: string;
  /** Properties as they were resolved. */
  readonly properties: JsonObject;
  /** Number of messages, items or objects in it. */
  readonly contents: number;
}

/** A resource of a stack. */
export interface StackResource {
  readonly physicalId: string;
  readonly definition: ResourceDefinition;
}

/** A stack of the account. It is replaced by each operation, and never changed. */
export interface DeployedStack {
  readonly name: string;
  /** Number in the account, from which its id follows. A stack that is created again has another one. */
  readonly number: number;
  readonly status: StackStatus;
  readonly terminationProtection: boolean;
  /** Template of the last operation that succeeded. */
  readonly template: JsonObject;
  readonly resources: ReadonlyMap<string, StackResource>;
  readonly outputs: ReadonlyMap<string, Json>;
  readonly exports: ReadonlyMap<string, Json>;
  /** Names of the exports of other stacks that it imports. */
  readonly imports: ReadonlySet<string>;
}

/** Effect of an operation on one resource. */
export type Action =
  | 'create'
  | 'update'
  | 'replace'
  | 'perhaps-replace'
  | 'unknown'
  | 'delete'
  /** It stays, and no stack has it any more. */
  | 'retain';

export interface Change {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly action: Action;
  /** Properties that changed. */
  readonly properties: readonly string[];
  readonly physicalId: string;
  /** Number of what it held. A resource that is deleted loses it. */
  readonly contents: number;
}

/** Rule by which CloudFormation, a service or the CDK's command line refuses. */
export type RefusalKind =
  | 'export-in-use'
  | 'export-exists'
  | 'import-missing'
  | 'name-exists'
  | 'name-kept-by-replacement'
  | 'second-index'
  | 'limit'
  | 'status'
  | 'termination-protection'
  | 'not-deleted'
  | 'template'
  | 'injected';

export interface Refusal {
  readonly kind: RefusalKind;
  readonly stack: string;
  readonly logicalId?: string;
  /** The text is CloudFormation's where it is known. */
  readonly message: string;
  /** The export, and who imports it. */
  readonly exported?: { readonly name: string; readonly output: string; readonly importedBy: readonly string[] };
}

/** How an operation on a stack ended. */
export interface Outcome {
  readonly stack: string;
  /** State of the stack afterwards, or undefined if there is none. */
  readonly status: StackStatus | undefined;
  /** Refusals. Empty if it succeeded. */
  readonly refusals: readonly Refusal[];
  readonly changes: readonly Change[];
}

/** A rule that ends an operation, which is then rolled back. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusals: readonly Refusal[];
  constructor(...refusals: readonly Refusal[]) {
    super(refusals.map(({ message }) => message).join('\n'));
    this.refusals = refusals;
  }
}
