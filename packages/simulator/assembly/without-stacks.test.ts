import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkAssembly } from '../cloud/check-assembly.js';
import { readAssembly } from './without-stacks.js';

/** Writes an app of two stacks; orders import the name of a queue from the other one. @returns its folder */
function writeApp(): string {
  const app = mkdtempSync(join(tmpdir(), 'stacks-'));
  const stacks = {
    Chat: {
      Resources: { Api: { Type: 'AWS::AppSync::Api' }, Queue: { Type: 'AWS::SQS::Queue' } },
      Outputs: { Name: { Value: { 'Fn::GetAtt': ['Queue', 'QueueName'] }, Export: { Name: 'queue' } } },
    },
    Orders: {
      Resources: { Topic: { Type: 'AWS::SNS::Topic', Properties: { DisplayName: { 'Fn::ImportValue': 'queue' } } } },
    },
  };
  const artifacts = Object.entries(stacks).map(([name, template]) => {
    writeFileSync(join(app, `${name}.json`), JSON.stringify(template));
    const properties = { templateFile: `${name}.json`, stackName: `prod-${name}` };
    return [name, { type: 'aws:cloudformation:stack', displayName: `Prod/${name}`, properties }];
  });
  writeFileSync(join(app, 'manifest.json'), JSON.stringify({ artifacts: Object.fromEntries(artifacts) }));
  return app;
}

test.each(['prod-Chat', 'Prod/Chat'])('a stack that keeps others from running is left out by its name: %s', (name) => {
  const app = writeApp();
  expect(checkAssembly(app).map(({ type }) => type)).toEqual(['AWS::AppSync::Api']);
  expect(readAssembly(app, [name]).stacks.map((stack) => stack.name)).toEqual(['prod-Orders']);
  // Another stack needs it: that is named.
  expect(checkAssembly(app, [name]).map(({ what }) => what)).toEqual([
    'it imports queue, which no earlier stack of this assembly exports',
  ]);
  expect(checkAssembly(app, ['prod-Chat', 'prod-Orders'])).toEqual([]);
});

test('a stack that is not there is an error that names those that are', () =>
  expect(() => readAssembly(writeApp(), ['Chat'])).toThrow('has no stack Chat; there are: Prod/Chat, Prod/Orders'));
