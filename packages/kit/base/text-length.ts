/** Length that stands for a value which only the deployment knows: a name, an ARN or a URL, of which few are longer. */
const REFERENCE_LENGTH = 128;

/** Longest values of what is the same in each stack of an account and Region. */
const PSEUDO_PARAMETERS: Readonly<Record<string, number>> = {
  'AWS::AccountId': '123456789012'.length,
  'AWS::Partition': 'aws-us-gov'.length,
  'AWS::Region': 'ap-southeast-1'.length,
  'AWS::URLSuffix': 'amazonaws.com.cn'.length,
};

/**
 * Estimates the bytes of a text in a template, in which each reference to a resource counts 128.
 * @param value resolved value: a text, a join of texts and references, or one reference
 */
export const estimateBytes = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const { 'Fn::Join': joined, Ref: reference = '' } = (value ?? {}) as Intrinsic;
  if (joined === undefined) return PSEUDO_PARAMETERS[reference] ?? REFERENCE_LENGTH;
  return joined[1].reduce<number>((sum, part) => sum + estimateBytes(part), 0);
};

interface Intrinsic {
  readonly 'Fn::Join'?: readonly [string, readonly unknown[]];
  readonly Ref?: string;
}

/** Estimates the bytes of a document that AWS gets as JSON, such as a policy. References count as in {@link estimateBytes}. */
export function estimateJsonBytes(document: unknown): number {
  if (Array.isArray(document)) return 1 + document.reduce<number>((sum, part) => sum + estimateJsonBytes(part) + 1, 0);
  if (typeof document === 'string') return Buffer.byteLength(JSON.stringify(document));
  if (typeof document !== 'object' || document === null) return String(document).length;
  const members = Object.entries(document);
  const [only] = members;
  if (members.length === 1 && only && (only[0] === 'Ref' || only[0].startsWith('Fn::')))
    return estimateBytes(document) + 2;
  return 1 + members.reduce((sum, [name, value]) => sum + name.length + 4 + estimateJsonBytes(value), 0);
}
