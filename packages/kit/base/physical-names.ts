import { createHash } from 'node:crypto';
import { Aws, Fn } from 'aws-cdk-lib';

/** Length of the part of a stack's id that names end with, and of the hash of what a name has no room for. */
const UNIQUE_LENGTH = 8;

/**
 * Returns a physical name that is the same in each deployment: `shop-dev`.
 * @param parts of the name. Empty ones are left out. What has no room becomes a hash.
 * @param maxLength AWS's limit for names of the resource's type
 */
export function joinName(parts: readonly string[], maxLength: number): string {
  const name = parts.filter((part) => part !== '').join('-');
  if (name.length <= maxLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, UNIQUE_LENGTH);
  return `${name.slice(0, maxLength - UNIQUE_LENGTH - 1)}-${hash}`;
}

/**
 * Returns a physical name for a resource that outlives its stack: `shop-prod-1a2b3c4d`. It ends with the first group of the
 * UUID in the stack's id. A name that is the same in each deployment would collide with the resource that an earlier stack
 * has retained, and CloudFormation would refuse the later stack ("already exists").
 */
export function nameWithStackId(parts: readonly string[], maxLength: number): string {
  // arn:aws:cloudformation:<region>:<account>:stack/<name>/<UUID>
  const uniquePart = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
  return `${joinName(parts, maxLength - UNIQUE_LENGTH - 1)}-${uniquePart}`;
}
