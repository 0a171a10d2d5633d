import { bugsIn, type PlantedBug } from '../bug.js';

const dynamodbEventStore = bugsIn('packages/kit/event-store/dynamodb-event-store.ts');
const foldingEventStore = bugsIn('packages/kit/event-store/folding-event-store.ts');

export const EVENT_STORE: readonly PlantedBug[] = [
  dynamodbEventStore('an aggregate is loaded as it was a moment ago', 'place-one', {
    from: 'ConsistentRead: true',
    to: 'ConsistentRead: false',
  }),
  foldingEventStore('the lane decides for an order that was decided by a plain transaction', 'lane-one', {
    from: 'Item: commit, ConditionExpression: versionIsFree } };',
    to: 'Item: commit, ...(versionIsFree ? {} : {}) } };',
    only: /inventory\/on-lane/,
  }),
  foldingEventStore('the lane decides on an account that another transaction has changed', 'account-lane-orders', {
    from: 'Item: commit, ConditionExpression: versionIsFree } };',
    to: 'Item: commit, ...(versionIsFree ? {} : {}) } };',
    only: /accounts\/on-lane/,
  }),
  foldingEventStore('an event of a snapshot is folded a second time', 'long-life', {
    from: 'if (next <= version || next > upTo) continue;',
    to: 'if (next < version || next > upTo) continue;',
  }),
  foldingEventStore('a state at a time leaves out the commit of that very time', 'long-life', {
    from: '(commit) => commit.at <= at);',
    to: '(commit) => commit.at < at);',
  }),
  foldingEventStore('a page of a history is resumed one event late', 'long-life', {
    from: 'shown: version - 1 } };',
    to: 'shown: version } };',
  }),
];
