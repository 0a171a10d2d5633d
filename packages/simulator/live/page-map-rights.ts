import type { EdgeKind, NodeKind } from '@orderly/console';
import type { Assembly, Resource } from '../assembly/assembly.js';
import { Policies, type Statement } from '../services/iam/policies.js';
import type { MapNodes } from './page-map-nodes.js';

/** Rights of a function on a resource. */
export interface MapAccess {
  /** Of the resource. */
  readonly arn: string;
  readonly kind: EdgeKind;
  /** Of an access that publishes: sources that it may name. */
  readonly sources?: readonly string[];
}

/** Kinds of resources, actions that make an edge, and the edge. Service Authorization Reference, "Actions, resources, and condition keys". */
const ACTIONS: readonly (readonly [NodeKind, readonly string[], EdgeKind])[] = [
  [
    'table',
    ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'].map(
      (name) => `dynamodb:${name}`,
    ),
    'writes',
  ],
  [
    'table',
    ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'ConditionCheckItem', 'PartiQLSelect'].map(
      (name) => `dynamodb:${name}`,
    ),
    'reads',
  ],
  ['queue', ['sqs:SendMessage'], 'sends'],
  ['queue', ['sqs:ReceiveMessage'], 'reads'],
  ['bucket', ['s3:PutObject', 's3:DeleteObject'], 'writes'],
  ['bucket', ['s3:GetObject'], 'reads'],
  ['bus', ['events:PutEvents'], 'publishes'],
  ['function', ['lambda:InvokeFunction'], 'calls'],
  ['topic', ['sns:Publish'], 'sends'],
];

/**
 * Returns what a function does with resources: what the policies of its role allow by a resource's own name, and what they allow by
 * a pattern, if a variable of the function names the resource. A right on `*` alone says nothing of a resource.
 */
export function accessesOf(assembly: Assembly, fn: Resource, nodes: MapNodes): readonly MapAccess[] {
  const statements = (Policies.of(assembly).byRole.get(String(fn.properties.Role)) ?? []).filter(
    ({ allows }) => allows,
  );
  const { Variables = {} } = (fn.properties.Environment ?? {}) as { Variables?: Record<string, string> };
  const variables = Object.values(Variables).join('\n');
  return [...nodes.entries()].flatMap(([arn, { kind, resource }]) => {
    const isNamed = resource !== undefined && isIn(variables, resource);
    const about = statements.filter(({ resources }) =>
      resources.some(({ text, fits }) => text === arn || text.startsWith(`${arn}/`) || (isNamed && fits(arn))),
    );
    return ACTIONS.flatMap(([of, names, edge]) => {
      if (of !== kind) return [];
      const granting = about.filter(({ actions }) => actions.some(({ fits }) => names.some(fits)));
      if (granting.length === 0) return [];
      const sources = edge === 'publishes' ? sourcesOf(granting) : undefined;
      return [{ arn, kind: edge, ...(sources && { sources }) }];
    });
  });
}

/** Whether a text has a name as a whole word: `orders` is not in `orders-archive`. */
function isIn(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w.-])${escaped}(?![\\w.-])`).test(text);
}

/** Returns the sources that statements allow. Amazon EventBridge User Guide, "Using IAM policy conditions": `events:source`. */
function sourcesOf(statements: readonly Statement[]): readonly string[] | undefined {
  const lists = statements.map(({ conditions }) =>
    conditions.find(({ key, operator }) => key === 'events:source' && /String(Equals|Like)$/.test(operator)),
  );
  if (lists.some((condition) => condition === undefined)) return undefined;
  return [...new Set(lists.flatMap((condition) => condition?.values.map(({ text }) => text) ?? []))];
}
