import { type App, Aws, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import { Account } from '../../../packages/simulator/deployments/account.js';
import {
  cdkDeploy,
  cdkDeployAll,
  cdkDestroyAll,
  refusalsOf,
} from '../../../packages/simulator/deployments/command-line.js';
import { inOrderOfCreation, type Template } from '../../../packages/simulator/deployments/template.js';
import type { ReleaseStacks } from '../../../tools/release/check/releases.js';
import { replacementOf } from '../../../tools/release/check/replacements.js';
import { found, releaseOf } from '../../support/releases.js';

interface Platform {
  /** Whether the bus's name ends with the id of its stack. */
  readonly hasOwnName: boolean;
  readonly policy: RemovalPolicy;
  readonly isProtected: boolean;
}

/** A bus that is retained, a table, and a stack that uses the bus. */
const platform = ({ hasOwnName, policy, isProtected }: Platform) =>
  releaseOf((app: App) => {
    const stack = new Stack(app, 'Platform', { terminationProtection: isProtected });
    const id = Fn.select(2, Fn.split('/', Aws.STACK_ID));
    const bus = new CfnEventBus(stack, 'Bus', { name: hasOwnName ? Fn.join('-', ['shop', id]) : 'shop' });
    bus.applyRemovalPolicy(policy);
    new Topic(stack, 'Topic');
    new TableV2(stack, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      removalPolicy: policy,
      deletionProtection: isProtected,
    });
    new Topic(new Stack(app, 'Orders'), 'Topic', { displayName: bus.ref });
  });

const { RETAIN, RETAIN_ON_UPDATE_OR_DELETE, DESTROY } = RemovalPolicy;
const PLAIN: Platform = { hasOwnName: true, policy: RETAIN_ON_UPDATE_OR_DELETE, isProtected: false };

/** Lets the first creation of each resource fail, and deploys everything again. @returns what the repetitions were refused for */
function repeated({ stacks }: ReleaseStacks): readonly string[] {
  const failures = stacks.flatMap((stack) =>
    inOrderOfCreation((stack.template as Template).Resources ?? {}).map((logicalId) => ({
      stack: stack.name,
      logicalId,
    })),
  );
  return failures.flatMap((failAt) => {
    const account = new Account(replacementOf);
    cdkDeployAll(account, stacks, failAt);
    expect(account.stacks.get(failAt.stack)?.status).toMatch(/^ROLLBACK_/);
    return refusalsOf(cdkDeployAll(account, stacks)).map(({ kind }) => `${kind} after ${failAt.logicalId.slice(0, 5)}`);
  });
}

test.each<[string, Platform, readonly string[]]>([
  ['what is retained has a name with the id of its stack, and goes with a failed creation', PLAIN, []],
  ['nothing is retained', { hasOwnName: false, policy: DESTROY, isProtected: false }, []],
  [
    'the bus is retained under one name: everything that fails after it can never be repeated',
    { hasOwnName: false, policy: RETAIN, isProtected: false },
    ['name-exists after Topic', 'name-exists after Table'],
  ],
  [
    'stacks are protected: no creation that failed can be repeated by `cdk deploy` alone',
    { ...PLAIN, isProtected: true },
    ['Bus', 'Topic', 'Table'].map((name) => `termination-protection after ${name}`),
  ],
])('a first creation fails at each resource and is repeated: %s', (_, made, expected) => {
  expect(new Set(repeated(platform(made)))).toEqual(new Set(expected));
});

test('a retained bus with one name is red, since it refuses a deployment after a teardown, and one with its stack’s id is not', () => {
  const [fixed, own] = [platform({ ...PLAIN, hasOwnName: false }), platform(PLAIN)];
  const { kinds, texts, mends } = found(fixed, fixed);
  expect(kinds).toEqual(['name-exists Bus']);
  expect(texts[0]).toContain('deployed again after a teardown');
  expect(mends[0]).toContain('Aws.STACK_ID');
  expect(found(own, own).kinds).toEqual([]);
});

test('a teardown leaves what is retained, stops at protected stacks, and a new deployment has new resources beside it', () => {
  const { stacks } = platform({ ...PLAIN, isProtected: true });
  const account = new Account(replacementOf);
  cdkDeployAll(account, stacks);
  expect(refusalsOf(cdkDestroyAll(account, stacks)).map(({ kind }) => kind)).toEqual(['termination-protection']);
  account.setTerminationProtection('Platform', false);
  expect(refusalsOf(cdkDestroyAll(account, stacks))).toEqual([]);
  expect(account.leftovers.map(({ type }) => type).toSorted()).toEqual([
    'AWS::DynamoDB::GlobalTable',
    'AWS::Events::EventBus',
  ]);
  expect(refusalsOf(cdkDeployAll(account, stacks))).toEqual([]);
  expect(account.leftovers).toHaveLength(2);
});

test('a stack in the middle that fails leaves the later ones untouched, and the same command completes the deployment', () => {
  const { stacks } = platform(PLAIN);
  const account = new Account(replacementOf);
  const [first, last] = stacks;
  if (first) cdkDeploy(account, first);
  const [topic = ''] = Object.keys((last?.template.Resources ?? {}) as object);
  expect(cdkDeployAll(account, stacks, { stack: 'Orders', logicalId: topic }).map(({ status }) => status)).toEqual([
    'CREATE_COMPLETE',
    'ROLLBACK_COMPLETE',
  ]);
  expect(refusalsOf(cdkDeployAll(account, stacks))).toEqual([]);
});
