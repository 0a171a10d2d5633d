/**
 * Facts that an account knows about a table besides its items: the properties that CreateTable takes, whether a template or a
 * client created it.
 */
import { hash } from '../item-store.js';
import type { TableResource } from '../table-definition.js';
import type { WireObject } from '../wire.js';

export interface TableRecord {
  readonly id: string;
  readonly arn: string;
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number;
  /** As CreateTable takes them, and `TimeToLiveSpecification` and `PointInTimeRecoverySpecification`. */
  readonly properties: WireObject;
  /** Time of the last change to on-demand billing. */
  readonly onDemandSince?: number;
  /** Backup that it was made from: a time, in milliseconds since 1970, and the ARN of the table. */
  readonly restored?: Restored;
}

/** The source of a restored table. */
export interface Restored {
  readonly to: number;
  readonly source: string;
}

/** Returns properties as a table of one region has them: a global table keeps some of them in its only replica. */
export function regionalProperties({ Properties }: TableResource): WireObject {
  const { Replicas, ...own } = Properties;
  const [replica] = (Replicas ?? []) as readonly WireObject[];
  const { Region: _, GlobalSecondaryIndexes: __, ...ofReplica } = replica ?? {};
  return { ...own, ...ofReplica };
}

export const isOnDemand = ({ BillingMode }: WireObject): boolean => BillingMode === 'PAY_PER_REQUEST';

/** Templates may write a boolean as text. */
export const isTrue = (value: unknown): boolean => String(value) === 'true';

export const toList = (value: unknown): readonly WireObject[] => (Array.isArray(value) ? value : []);

/** An id in the form of a UUID, the same for the same text. */
export function toUuid(text: string): string {
  const hex = [1, 2, 3, 4].map((part) => hash(`${part}/${text}`).toString(16).padStart(8, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
