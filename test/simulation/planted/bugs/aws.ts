import { bugsIn, type PlantedBug } from '../bug.js';

const dedupeWindow = bugsIn('packages/kit/aws/dedupe-window.ts');
const dynamodb = bugsIn('packages/kit/aws/dynamodb.ts');
const failureTexts = bugsIn('packages/kit/aws/failure-texts.ts');
const knownTexts = bugsIn('packages/kit/aws/known-texts.ts');
const reading = bugsIn('packages/kit/aws/read-items.ts');
const telemetry = bugsIn('packages/kit/aws/telemetry.ts');

export const AWS: readonly PlantedBug[] = [
  dedupeWindow('the age gate takes the window of today', 'window-raised', {
    from: '{ from: earliest, to: now }',
    to: '{ from: now, to: now }',
  }),
  dedupeWindow('the age gate takes the largest window', 'window-raised', {
    from: 'Math.min(...inForce',
    to: 'Math.max(...inForce',
  }),
  dedupeWindow('the age gate takes the first window', 'window-lowered', {
    from: '{ from: earliest, to: now }',
    to: "{ from: '1970-01-01', to: '1970-01-01' }",
  }),
  dynamodb('a commit replaces what stands there', 'place-one', {
    from: "ConditionExpression: 'attribute_not_exists(pk)',",
    to: '',
  }),
  dynamodb('a message of an inbox that has ended is stored again when it comes again', 'rewards-in-order', {
    from: "        ConditionExpression: 'attribute_not_exists(pk)',\n",
    to: '',
    only: /inbox\/receive/,
  }),
  dynamodb('a known message is stored again', 'inbox-single', {
    from: "        ConditionExpression: 'attribute_not_exists(pk)',\n",
    to: '',
    only: /inbox\/receive/,
  }),
  failureTexts('a reason and a log line have the text of any error', 'inbox-single', {
    from: "if (process.env[Env.FAILURE_TEXTS] === 'full')",
    to: 'if (true)',
  }),
  knownTexts('the text of what JSON.parse quotes is recognised, and shown as it is', 'inbox-single', {
    from: 'if (beginning !== undefined) return beginning;',
    to: 'if (beginning !== undefined) return message;',
  }),
  reading('a page that DynamoDB cuts short is taken for the last one', 'twenty-orders', {
    from: 'while (next && items.length < limit && called < calls);',
    to: 'while (next && items.length === limit && called < calls);\n  if (items.length < limit) next = undefined;',
    only: /orders\/list-orders/,
  }),
  telemetry('what an alarm waits for is counted when the invocation ends', 'refund-refused', {
    from: 'metrics.singleMetric().addMetric(',
    to: 'metrics.addMetric(',
  }),
];
