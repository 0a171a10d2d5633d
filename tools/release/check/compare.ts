import type { JsonObject } from '../../../packages/simulator/assembly/intrinsics.js';
import type { Change, Refusal } from '../../../packages/simulator/deployments/state.js';
import type { Template } from '../../../packages/simulator/deployments/template.js';
import { dataOf, isLog } from './data.js';
import { type Finding, type FindingKind, Findings } from './findings.js';
import { allowLine, exportedLabel, keepExport } from './mends.js';
import { type Played, playFirstCreations, playReturn, playTeardown, playUpgrade } from './plays.js';
import type { ReleaseStacks } from './releases.js';

/** Result of a comparison of two releases. */
export interface Comparison {
  readonly environment: string;
  readonly findings: readonly Finding[];
  /** How the previous release goes back over this one. */
  readonly goesBack: ReturnType<typeof playReturn>;
}

/** Compares the stacks of two releases of one environment: what AWS would refuse, replace or delete. */
export function compareReleases(environment: string, before: ReleaseStacks, after: ReleaseStacks): Comparison {
  const findings = new Findings();
  const add = (played: readonly Played[]): void => {
    for (const { when, changes, refusals } of played) {
      for (const refusal of refusals) findings.add(ofRefusal(environment, before, after, when, refusal));
      // The deletion of a replaced resource is part of its replacement, which is reported already.
      const replaced = new Set(changes.filter(({ action }) => action === 'replace').map(({ logicalId }) => logicalId));
      for (const change of changes) {
        if (replaced.has(change.logicalId) && change.action !== 'replace') continue;
        const finding = ofChange(environment, before, after, when, change);
        if (finding) findings.add(finding);
      }
    }
  };
  add(playUpgrade(before, after));
  add(playTeardown(after));
  add(playFirstCreations(after));
  return { environment, findings: findings.all, goesBack: playReturn(before, after) };
}

const KINDS: Partial<Readonly<Record<Refusal['kind'], FindingKind>>> = {
  'export-in-use': 'export-in-use',
  'second-index': 'second-index',
  'name-exists': 'name-exists',
  limit: 'limit',
};

function ofRefusal(
  environment: string,
  before: ReleaseStacks,
  after: ReleaseStacks,
  when: string,
  refusal: Refusal,
): Finding {
  const { kind, stack, logicalId, message } = refusal;
  const label = logicalId === undefined ? (after.find(stack)?.displayName ?? stack) : after.label(stack, logicalId);
  const where = kind === 'export-in-use' ? exportedLabel(before, refusal) : label;
  const mends: Partial<Record<Refusal['kind'], string>> = {
    'export-in-use': keepExport(before, after, refusal),
    'second-index': `one index in this release, and the next one in the release after it`,
    'name-exists': `no name, so that CloudFormation makes one, or a name with the id of its stack (Fn.select(2, Fn.split('/', Aws.STACK_ID)))`,
    'name-kept-by-replacement': `another name, or the property as it was`,
    limit: `move a part of it to a stack of its own`,
    'import-missing': `deploy the exporting stack first (addDependency), and keep what the previous release imports`,
  };
  const found = KINDS[kind] ?? 'refused';
  const mend = mends[kind] ?? allowLine(found, environment, where);
  return { kind: found, environment, where, what: `${message} (when ${when})`, mend };
}

function ofChange(
  environment: string,
  before: ReleaseStacks,
  after: ReleaseStacks,
  when: string,
  { stack, logicalId, type, action, properties }: Change,
): Finding | undefined {
  const where = (action === 'delete' || action === 'retain' ? before : after).label(stack, logicalId);
  const changed = properties.join(', ');
  if (action === 'unknown') {
    const kind = 'unknown-replacement';
    const what = `nothing says whether another ${changed} replaces ${type} (when ${when})`;
    return { kind, environment, where, what, mend: `look it up. ${allowLine(kind, environment, where)}` };
  }
  if (action === 'delete' && type === QUEUE_POLICY) {
    const queues = findQueues(before, stack, logicalId).filter((queue) =>
      findPolicies(after, stack).some((policy) => findQueues(after, stack, policy).includes(queue)),
    );
    return queues.length === 0 ? undefined : describeClearedPolicy({ environment, where, when, queues });
  }
  const data = dataOf(type, environment);
  if (data === undefined) return undefined;
  // The lines of a log group that is retained can be read where they are.
  if (action === 'retain' && isLog(type)) return undefined;
  if (action === 'replace' || action === 'perhaps-replace') {
    const kind = 'data-replaced';
    const verb = action === 'replace' ? 'replaces' : 'may replace';
    const what = `another ${changed} ${verb} ${type}, with ${data} (when ${when})`;
    return {
      kind,
      environment,
      where,
      what,
      mend: `keep ${changed} as it was; ${allowLine(kind, environment, where)}`,
    };
  }
  if (action !== 'delete' && action !== 'retain') return undefined;
  const kind = 'data-removed';
  const verb = action === 'delete' ? 'is deleted' : 'leaves its stack';
  const what = `${type}, with ${data}, ${verb} (when ${when})`;
  return { kind, environment, where, what, mend: `${keepData(type)}; ${allowLine(kind, environment, where)}` };
}

const QUEUE_POLICY = 'AWS::SQS::QueuePolicy';

const resourcesOf = (release: ReleaseStacks, stack: string) =>
  ((release.find(stack)?.template ?? {}) as Template).Resources ?? {};

const findPolicies = (release: ReleaseStacks, stack: string): readonly string[] =>
  Object.entries(resourcesOf(release, stack)).flatMap(([id, { Type }]) => (Type === QUEUE_POLICY ? [id] : []));

/** Returns the logical ids of the queues of a policy. */
function findQueues(release: ReleaseStacks, stack: string, policy: string): readonly string[] {
  const { Queues = [] } = resourcesOf(release, stack)[policy]?.Properties ?? {};
  return (Queues as readonly JsonObject[]).flatMap(({ Ref }) => (typeof Ref === 'string' ? [Ref] : []));
}

/**
 * Describes a policy that CloudFormation deletes "during the cleanup phase", after it has created and updated the rest
 * (CloudFormation, "Update behaviors of stack resources"): the deletion clears the policy that the queue has by then.
 */
function describeClearedPolicy({
  environment,
  where,
  when,
  queues,
}: Pick<Finding, 'environment' | 'where'> & { readonly when: string; readonly queues: readonly string[] }): Finding {
  return {
    kind: 'policy-cleared',
    environment,
    where,
    what: `the deletion of ${QUEUE_POLICY} clears the policy that another one has set: ${queues.join(', ')} (when ${when})`,
    mend: "keep it for this release with DeletionPolicy Retain (the kit's setting queuePolicies: 'queue'), and remove it in the next one",
  };
}

/** Returns how data stays. A queue can be emptied by the consumer that it has. */
const keepData = (type: string): string =>
  type === 'AWS::SQS::Queue'
    ? 'keep its consumer until its queue is empty. A consumer with another name has another queue, and records of its own: a message that both get has its effect twice'
    : 'keep its construct';
