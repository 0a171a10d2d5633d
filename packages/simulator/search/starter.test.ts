import { expect, test } from 'vitest';
import { arnOf, createCloud, functionResource } from '../support/clouds.js';
import { machineResource } from '../support/machines.js';
import { makeStarter } from './starter.js';

const mapping = (queue: string) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: arnOf(queue), FunctionName: { Ref: 'Work' } },
});

test('an app without an API begins by its queues and state machines, and not by what its functions send to', () => {
  const cloud = createCloud({
    Queue: { Type: 'AWS::SQS::Queue' },
    Dead: { Type: 'AWS::SQS::Queue' },
    Mapping: mapping('Queue'),
    ...functionResource('Work'),
    ...machineResource({ Done: { Type: 'Succeed' } }),
  });
  const { file, text, names } = makeStarter(cloud);
  expect(file).toBe('requests.json');
  expect(JSON.parse(text)).toEqual({
    steps: [
      { send: 'Shop/Queue', body: {} },
      { execute: 'Shop/Machine', input: {} },
    ],
  });
  expect(names).toEqual(['send Shop/Queue', 'execute Shop/Machine']);
});

test('an app of functions alone begins by them', () =>
  expect(makeStarter(createCloud(functionResource('Work'))).names).toEqual(['invoke Shop/Work']));

/** AWS Lambda, "Invoking Lambda function URLs": a function URL takes every path. */
test('a function URL begins by its root', async () => {
  const cloud = createCloud({
    Url: { Type: 'AWS::Lambda::Url', Properties: { AuthType: 'NONE', TargetFunctionArn: arnOf('Work') } },
    ...functionResource('Work'),
  });
  expect(makeStarter(cloud)).toMatchObject({
    file: 'requests.http',
    names: ['POST /'],
    text: expect.stringContaining('\nPOST /\n'),
  });
});

test('a function that nothing invokes begins work beside queues, and one that a queue or another function invokes does not', () => {
  const calls = { Environment: { Variables: { NEXT: { Ref: 'Next' } } } };
  const cloud = createCloud({
    Queue: { Type: 'AWS::SQS::Queue' },
    Mapping: mapping('Queue'),
    ...functionResource('Work'),
    ...functionResource('Next'),
    ...functionResource('Seed', [], calls),
  });
  expect(makeStarter(cloud).names).toEqual(['invoke Shop/Seed', 'send Shop/Queue']);
});
