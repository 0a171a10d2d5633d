import type { JsonObject } from '../assembly/intrinsics.js';
import { Account } from './account.js';
import { cdkDeploy, cdkDeployAll } from './command-line.js';
import { isName } from './physical-names.js';
import type { ReplacementOf } from './replacements.js';

/** A stack of a loaded assembly. */
export interface LoadedStack {
  readonly name: string;
  readonly template: JsonObject;
}

/** Replacements that need no specification of resources: names, and the keys of tables. Anything else is taken for an update. */
const WITHOUT_SPECIFICATION: ReplacementOf = ({ type, property }) =>
  isName(type, property) || (/^AWS::DynamoDB::/.test(type) && property === 'KeySchema') ? 'always' : 'never';

/** Types of which the CDK makes a new one with each change, with nothing in them. */
const OF_ONE_CHANGE: readonly string[] = ['AWS::ApiGateway::Deployment', 'AWS::Lambda::Version'];

const QUEUE = 'AWS::SQS::Queue';
/** Warning about a queue that is removed while another one is added in the same stack. */
const RENAMED =
  'if its consumer has another name now, it is another consumer, with no record of what the old one has done. Keep the name, or keep the old one until its queue is empty';

/**
 * Says what AWS would replace, delete or refuse if one assembly were deployed over another, one line each. It knows of replacements by
 * names and keys only.
 * @param before stacks in the order of their deployment
 */
export function differencesOf(before: readonly LoadedStack[], after: readonly LoadedStack[]): readonly string[] {
  const account = new Account(WITHOUT_SPECIFICATION);
  const toDeploy = (stacks: readonly LoadedStack[]) => stacks.map((one) => ({ ...one, terminationProtection: false }));
  cdkDeployAll(account, toDeploy(before));
  return toDeploy(after).flatMap((stack) => {
    const { changes, refusals } = cdkDeploy(account, stack);
    if (refusals.length > 0) return refusals.map(({ message }) => `AWS would refuse ${stack.name}: ${message}`);
    const replaced = new Set(changes.filter(({ action }) => action === 'replace').map(({ logicalId }) => logicalId));
    const hasNewQueue = changes.some(({ action, type }) => action === 'create' && type === QUEUE);
    return changes.flatMap(({ action, logicalId, type, properties }) => {
      const what = `${stack.name}/${logicalId} (${type})`;
      if (action === 'replace') return [`AWS would replace ${what}: another ${properties.join(', ')}`];
      if (replaced.has(logicalId) || OF_ONE_CHANGE.includes(type)) return [];
      if (action === 'delete' && type === QUEUE)
        return [`AWS would delete ${what}, with the messages in it${hasNewQueue ? `: ${RENAMED}` : ''}`];
      if (action === 'delete') return [`AWS would delete ${what}`];
      return action === 'retain' ? [`AWS would keep ${what} without a stack`] : [];
    });
  });
}
