import { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type MonthlyBudget, SettingsError } from '../base/settings.js';

/** Percent of the budget that was spent. */
const SPENT = 80;
/** Percent of the budget that AWS forecasts for the end of the month. */
const FORECAST = 100;

/**
 * Adds a budget for the account's costs of a month, which notifies a topic at 80 %, and at a forecast of 100 %.
 *
 * The topic takes the messages of this account's budgets only: AWS Cost Management, "Creating an Amazon SNS topic for budget
 * notifications".
 * @throws {SettingsError} for an amount that is not above 0, or a currency that has not three letters
 */
export function addBudget(scope: Construct, { amount, currency }: MonthlyBudget, topic: Topic): void {
  if (!(amount > 0)) throw new SettingsError(`monthlyBudget.amount is ${amount}: expected an amount above 0`);
  if (!/^[A-Z]{3}$/.test(currency))
    throw new SettingsError(`monthlyBudget.currency is '${currency}': expected three letters, such as USD`);
  const { account, partition } = Stack.of(scope);
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'BudgetsOfThisAccount',
      principals: [new ServicePrincipal('budgets.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': `arn:${partition}:budgets::${account}:*` },
      },
    }),
  );
  const at = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
  });
  const budget = new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount, unit: currency } },
    notificationsWithSubscribers: [at('ACTUAL', SPENT), at('FORECASTED', FORECAST)],
  });
  // AWS checks that the topic takes its messages when it creates the budget.
  budget.node.addDependency(topic);
}
