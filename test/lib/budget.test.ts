import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import { settingsFor } from '../../lib/settings.js';
import { addBudget } from '../../packages/kit/service/budget.construct.js';

const templateWith = (budget: { amount: number; currency: string }) => {
  const stack = new Stack(new App(), 'Stack');
  addBudget(stack, budget, new Topic(stack, 'Tickets'));
  return Template.fromStack(stack);
};

test('a budget tells the tickets when most of it is spent, and when more than all of it is forecast', () => {
  const template = templateWith({ amount: 500, currency: 'USD' });
  const [budget] = Object.values(template.findResources('AWS::Budgets::Budget'));
  expect(budget?.Properties.Budget.BudgetLimit).toEqual({ Amount: 500, Unit: 'USD' });
  expect(
    budget?.Properties.NotificationsWithSubscribers.map(
      ({ Notification }: { Notification: { NotificationType: string; Threshold: number } }) => [
        Notification.NotificationType,
        Notification.Threshold,
      ],
    ),
  ).toEqual([
    ['ACTUAL', 80],
    ['FORECASTED', 100],
  ]);
  // AWS refuses a budget whose topic doesn't take its messages.
  expect(budget?.DependsOn).toContainEqual(expect.stringMatching(/^TicketsPolicy/));
});

test('a budget that can never be reached, or has no currency, is refused with what would be right', () => {
  expect(() => templateWith({ amount: 0, currency: 'USD' })).toThrow(
    'monthlyBudget.amount is 0: expected an amount above 0',
  );
  expect(() => templateWith({ amount: Number.NaN, currency: 'USD' })).toThrow('expected an amount above 0');
  expect(() => templateWith({ amount: 1, currency: 'dollars' })).toThrow('expected three letters, such as USD');
});

test('prod has a budget and an alarm for an API that nobody reaches, and dev has neither', () => {
  const has = (environment: string) => {
    const { monthlyBudget, apiQuietAfter } = settingsFor(environment);
    return [monthlyBudget !== undefined, apiQuietAfter !== undefined];
  };
  expect([has('prod'), has('dev')]).toEqual([
    [true, true],
    [false, false],
  ]);
});
