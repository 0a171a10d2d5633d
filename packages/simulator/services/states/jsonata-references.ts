import type { ExprNode } from 'jsonata';
import { RESERVED } from './variables.js';

/** Node of a tree, with the members that the library's types leave out. */
interface Node extends ExprNode {
  keepArray?: boolean;
  readonly body?: Node;
  readonly condition?: Node;
  readonly then?: Node;
  readonly else?: Node;
  readonly expression?: Node;
}

/**
 * Returns what AWS refuses in an expression when a machine is created: a reference to the input document, which Step Functions doesn't
 * have, or to a member of `$states` that its field doesn't see. Amazon States Language, "JSONata Restrictions"; AWS Step Functions Developer
 * Guide, "Transforming data with JSONata in Step Functions", "Reserved variable: $states".
 * @param seen member of `$states` that the field sees, besides `input` and `context`
 */
export function findUnsupported(tree: ExprNode, seen: string | undefined): string | undefined {
  for (const node of listNodes(tree)) {
    if (node.type === 'variable' && node.value === '$') return "Reference to '$$' is not supported.";
    const member = memberOfStates(node);
    if (member !== undefined && member !== seen) return `Field '$${RESERVED}.${member}' does not exist.`;
  }
  const [name] = listTopLevel(tree as Node);
  return name === undefined ? undefined : `Reference to '${name}' at the top level is not supported.`;
}

/**
 * Marks each `~>` whose sides keep a list of one value, as JSONata 2.0.6 does: `$list[] ~> $map($f)` is a list. The library's line leaves it
 * out (decision 0334).
 */
export function keepLists(tree: ExprNode): void {
  // Parts of a node come behind it, and count before it.
  for (const node of [...listNodes(tree)].reverse() as readonly Node[])
    if (node.type === 'apply' && [node.lhs, node.rhs].some((side) => (side as Node | undefined)?.keepArray))
      node.keepArray = true;
}

/** Returns `result` or `errorOutput`, if a path begins with `$states` and it. */
function memberOfStates({ type, steps = [] }: ExprNode): string | undefined {
  const [first, second] = steps;
  if (type !== 'path' || first?.type !== 'variable' || first.value !== RESERVED) return undefined;
  return second?.type === 'name' && /^(result|errorOutput)$/.test(String(second.value))
    ? String(second.value)
    : undefined;
}

/** Returns all nodes of a tree. */
function* listNodes(value: unknown): Generator<ExprNode> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value) && 'type' in value) yield value as ExprNode;
  for (const member of Object.values(value)) yield* listNodes(member);
}

/**
 * Returns names and `$` that refer to the input document. Of a path that is its first step only: later steps, predicates, orders and groups
 * see what the step before them found. The body of a function sees what is around the function.
 */
function* listTopLevel(node: Node | undefined): Generator<string> {
  switch (node?.type) {
    case 'path':
      yield* listTopLevel(node.steps?.[0] as Node | undefined);
      return;
    case 'name':
      yield String(node.value);
      return;
    case 'variable':
      if (node.value === '') yield '$';
      return;
    case undefined:
      return;
    default:
      for (const part of partsOf(node as Node)) yield* listTopLevel(part);
  }
}

/** Parts of a node that see what the node itself sees. */
function partsOf(node: Node): readonly (Node | undefined)[] {
  const { procedure, arguments: args = [], expressions = [], lhs, rhs, body, condition, expression } = node;
  // Of an object, `lhs` is a list of its names and values.
  const left = Array.isArray(lhs) ? lhs.flat() : [lhs];
  return [
    procedure,
    ...args,
    ...expressions,
    ...left,
    rhs,
    body,
    condition,
    node.then,
    node.else,
    expression,
  ] as Node[];
}
