import type { Resource } from '../../assembly/assembly.js';
import { wildcard } from '../iam/policies.js';
import type { InvocationResult } from '../lambda/model.js';

/** Invokes the function of an authorizer. `forbidden`: the function's policy doesn't let the API invoke it. */
export type InvokeAuthorizer = (
  authorizer: Resource,
  input: object,
  done: (result: InvocationResult | 'forbidden') => void,
) => void;

/** Statement of a policy that an authorizer's function answers with. */
export interface PolicyStatement {
  readonly Effect?: string;
  readonly Resource?: string | readonly string[];
}

/** Tells whether statements allow what is asked for: one does, and none denies it. @param arn of the method or the route */
export function allows(statements: readonly PolicyStatement[], arn: string): boolean {
  const effects = statements
    .filter(({ Resource = [] }) => [Resource].flat().some((one) => wildcard(one).test(arn)))
    .map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

/** Decisions of authorizers that an API keeps, by the identities of the callers. */
export class KeptDecisions<Decision> {
  private readonly kept = new Map<string, { readonly until: number; readonly decision: Decision }>();

  /** @param now returns the time, milliseconds since 1970 */
  constructor(private readonly now: () => number) {}

  /** Returns the decision about an identity, as long as it is kept. */
  find(authorizer: Resource, identity: readonly string[]): Decision | undefined {
    const kept = this.kept.get(keyOf(authorizer, identity));
    return kept && kept.until > this.now() ? kept.decision : undefined;
  }

  /** Keeps a decision. Without an identity there is nothing by which it could be found again. */
  keep(authorizer: Resource, identity: readonly string[], seconds: number, decision: Decision): void {
    if (seconds > 0 && identity.length > 0)
      this.kept.set(keyOf(authorizer, identity), { until: this.now() + seconds * 1000, decision });
  }
}

const keyOf = ({ ref }: Resource, identity: readonly string[]): string => JSON.stringify([ref, ...identity]);
