import type { StackArtifact } from '../../../packages/simulator/assembly/manifest.js';
import { Account } from '../../../packages/simulator/deployments/account.js';
import {
  cdkDeploy,
  cdkDeployAll,
  cdkDestroyAll,
  refusalsOf,
} from '../../../packages/simulator/deployments/command-line.js';
import type { Change, Outcome, Refusal, RefusalKind } from '../../../packages/simulator/deployments/state.js';
import { inOrderOfCreation, type Template } from '../../../packages/simulator/deployments/template.js';
import type { ReleaseStacks } from './releases.js';
import { replacementOf } from './replacements.js';

/** Refusals after which a play continues as if their causes were mended, so that one run finds all of them. */
const MENDED: readonly RefusalKind[] = ['export-in-use', 'second-index'];

/** Changes and refusals of the deployment of one stack. */
export interface Played {
  /** Stacks that were deployed, and those that stood beside them. */
  readonly when: string;
  readonly changes: readonly Change[];
  readonly refusals: readonly Refusal[];
}

/**
 * Deploys a release over another one, for every set of stacks that may be new while the others are old: `cdk deploy --all` deploys a
 * stack after those that it needs, and may end anywhere. Each rule of the model concerns one stack, or two of them (an export, a name).
 * So each stack is deployed twice: with nothing new but what it needs, and with everything new but what needs it. Any other set lies
 * between these two, and has no pair of stacks that neither has.
 */
export function playUpgrade(before: ReleaseStacks, after: ReleaseStacks): readonly Played[] {
  const start = new Account(replacementOf);
  const first = cdkDeployAll(start, before.stacks);
  const refused = refusalsOf(first);
  if (refused.length > 0)
    return [{ when: 'the previous release into an empty account', changes: [], refusals: refused }];
  const states = new Map<string, Account>([['', start]]);
  const played: Played[] = [];
  const accountWith = (names: ReadonlySet<string>): Account => {
    const stacks = after.stacks.filter(({ name }) => names.has(name));
    const key = stacks.map(({ name }) => name).join(' ');
    const known = states.get(key);
    const last = stacks.at(-1);
    if (known || !last) return known ?? start;
    const account = accountWith(new Set(stacks.slice(0, -1).map(({ name }) => name))).copy();
    goOn(account, last);
    states.set(key, account);
    return account;
  };
  for (const stack of after.stacks) {
    const needed = after.needs(stack.name);
    const needing = after.stacks.filter(({ name }) => name !== stack.name && !after.needs(name).has(stack.name));
    const sets = [needed, new Set(needing.map(({ name }) => name))];
    for (const names of sets) {
      const { changes, refusals } = goOn(accountWith(names).copy(), stack);
      played.push({ when: describe(stack, names), changes, refusals });
    }
  }
  return played;
}

/** Deploys a stack, in spite of what can be mended. @returns the changes, and every refusal */
function goOn(account: Account, stack: StackArtifact): Pick<Outcome, 'changes' | 'refusals'> {
  const met: Refusal[] = [];
  const tolerates = (refusal: Refusal): boolean => {
    met.push(refusal);
    return MENDED.includes(refusal.kind);
  };
  const { changes, refusals } = cdkDeploy(account, stack, { tolerates });
  const others = refusals.filter((refusal) => !met.includes(refusal));
  return { changes: refusals.length === 0 ? changes : [], refusals: [...met, ...others] };
}

function describe({ displayName }: StackArtifact, names: ReadonlySet<string>): string {
  return names.size === 0
    ? `${displayName} is deployed first`
    : `${displayName} is deployed after ${names.size} others`;
}

/**
 * Deploys a release, tears it down as far as its policies let it, and deploys it again beside what was retained. Termination protection
 * is taken away before, as an operator has to.
 */
export function playTeardown({ stacks }: ReleaseStacks): readonly Played[] {
  const account = new Account(replacementOf);
  const first = refusalsOf(cdkDeployAll(account, stacks));
  if (first.length > 0) return [{ when: 'it is deployed into an empty account', changes: [], refusals: first }];
  for (const { name } of stacks) account.setTerminationProtection(name, false);
  cdkDestroyAll(account, stacks);
  const refusals = refusalsOf(cdkDeployAll(account, stacks)).filter(({ kind }) => kind !== 'status');
  return [{ when: 'it is deployed again after a teardown', changes: [], refusals }];
}

/**
 * Lets the first creation of each stack fail at its last resource, and repeats it beside what that left. Termination protection is
 * taken away before, as an operator has to.
 */
export function playFirstCreations({ stacks }: ReleaseStacks): readonly Played[] {
  const account = new Account(replacementOf);
  return stacks.map((stack) => {
    const failAt = inOrderOfCreation((stack.template as Template).Resources ?? {}).at(-1) ?? '';
    const failing = account.copy();
    cdkDeploy(failing, stack, { failAt });
    failing.setTerminationProtection(stack.name, false);
    const again = cdkDeploy(failing, stack);
    cdkDeploy(account, stack);
    return {
      when: `${stack.displayName} is deployed again after a failed creation`,
      changes: [],
      refusals: again.refusals,
    };
  });
}

/**
 * Finds the order in which the previous release goes back over this one.
 * @returns `forwards` as `cdk deploy --all` does, `backwards` with the users of exports first, or neither
 */
export function playReturn(before: ReleaseStacks, after: ReleaseStacks): 'forwards' | 'backwards' | 'neither' {
  const start = new Account(replacementOf);
  cdkDeployAll(start, before.stacks);
  for (const stack of after.stacks) goOn(start, stack);
  if (refusalsOf(cdkDeployAll(start.copy(), before.stacks)).length === 0) return 'forwards';
  return refusalsOf(cdkDeployAll(start.copy(), before.stacks.toReversed())).length === 0 ? 'backwards' : 'neither';
}
