import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  IntegrationPattern,
  JsonPath,
  StateMachine,
  StateMachineType,
  TaskInput,
  type TaskStateBase,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import {
  DynamoAttributeValue,
  DynamoUpdateItem,
  EventBridgePutEvents,
  LambdaInvoke,
} from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { STEPS } from './messages.js';

/** How a state machine asks the participants: by commands on the bus, whose answers it waits for, or by invoking them. */
export type Asks = { readonly bus: EventBus } | { readonly participants: ReadonlyMap<string, IFunction> };

/** Makes a state machine that leads orders: a task for each participant, a choice by the last answer, the approval. */
export function leader(scope: Construct, orders: ITable, asks: Asks): StateMachine {
  const tasks = STEPS.map(({ command, service }) => ask(scope, command, service, asks));
  const approve = new DynamoUpdateItem(scope, 'Approve', {
    table: orders,
    key: {
      pk: DynamoAttributeValue.fromString(JsonPath.format('ORDER#{}', JsonPath.stringAt('$.orderId'))),
      sk: DynamoAttributeValue.fromString('ORDER'),
    },
    updateExpression: 'SET #status = :approved',
    conditionExpression: '#status = :pending',
    expressionAttributeNames: { '#status': 'status' },
    expressionAttributeValues: {
      ':approved': DynamoAttributeValue.fromString('APPROVED'),
      ':pending': DynamoAttributeValue.fromString('PENDING'),
    },
    resultPath: JsonPath.DISCARD,
  });
  const charged = new Choice(scope, 'Charged')
    .when(Condition.booleanEquals('$.answer.ok', true), approve)
    .otherwise(new Fail(scope, 'Declined'));
  const [first, ...others] = tasks;
  if (!first) throw new Error('an order has no steps');
  let last = first;
  for (const task of others) {
    last.next(task);
    last = task;
  }
  last.next(charged);
  return new StateMachine(scope, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(first),
    stateMachineType: 'bus' in asks ? StateMachineType.STANDARD : StateMachineType.EXPRESS,
    timeout: 'bus' in asks ? Duration.days(1) : Duration.minutes(5),
  });
}

function ask(scope: Construct, command: string, service: string, asks: Asks): TaskStateBase {
  const message = {
    // The same whenever the task is tried again.
    id: JsonPath.format(`{}/${command}`, JsonPath.stringAt('$$.Execution.Name')),
    type: command,
    orderId: JsonPath.stringAt('$.orderId'),
    customerId: JsonPath.stringAt('$.customerId'),
    lines: JsonPath.objectAt('$.lines'),
    time: JsonPath.stringAt('$$.State.EnteredTime'),
  };
  if ('bus' in asks)
    return new EventBridgePutEvents(scope, command, {
      integrationPattern: IntegrationPattern.WAIT_FOR_TASK_TOKEN,
      taskTimeout: Timeout.duration(Duration.hours(1)),
      entries: [
        {
          eventBus: asks.bus,
          source: 'Orders',
          detailType: command,
          detail: TaskInput.fromObject({ ...message, token: JsonPath.taskToken }),
        },
      ],
      resultPath: '$.answer',
    });
  const participant = asks.participants.get(service);
  if (!participant) throw new Error(`there is no participant '${service}'`);
  return new LambdaInvoke(scope, command, {
    lambdaFunction: participant,
    payload: TaskInput.fromObject(message),
    payloadResponseOnly: true,
    resultPath: '$.answer',
  });
}
