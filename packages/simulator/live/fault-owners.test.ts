import { expect, test } from 'vitest';
import { describeNames, findSimilarNames } from './fault-owners.js';

const NAMES = [
  'Inventory/OnCommands',
  'Orders/OnCommand',
  'Orders/Outbox/Relay',
  'Orders/PlaceOrder',
  ...Array.from({ length: 20 }, (_, at) => `Rule${at}`),
];

test.each([
  ['inventory/oncommands', ['Inventory/OnCommands']],
  ['Inventory/OnComands', ['Inventory/OnCommands']],
  ['PlaceOrdr', ['Orders/PlaceOrder']],
  ['Outbox', ['Orders/Outbox/Relay']],
  ['Payments', []],
])('somebody who types %s may have meant %j', (typed, meant) => expect(findSimilarNames(typed, NAMES)).toEqual(meant));

test('an error lists few names, and of many the most similar ones with where to find all', () => {
  expect(describeNames('Shop/Nobody', ['Shop/Work'], 'GET /all', ', or *')).toBe('; there are Shop/Work, or *');
  expect(describeNames('PlaceOrdr', NAMES, 'GET /all', ', or *')).toBe(
    "; there are 24, as GET /all lists them, or *. Did you mean 'Orders/PlaceOrder'?",
  );
  expect(describeNames('nothing', NAMES, 'GET /all', '')).toBe('; there are 24, as GET /all lists them');
});
