import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  Map as MapState,
  Parallel,
  Pass,
  ProvideItems,
  QueryLanguage,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { expect, test } from 'vitest';
import { Assembly, Cloud, checkAssembly, Deployment } from '../../packages/simulator/index.js';

/** Writes a machine of all types of states as the CDK writes it. @returns the folder of the assembly */
function synthesize(language: QueryLanguage): string {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'cdk-jsonata-')) });
  const stack = new Stack(app, 'Shop');
  const price = new LambdaFunction(stack, 'Price', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(
      "exports.handler = async ({ sku }) => { if (sku === 'gone') throw new Error('gone'); return { price: sku.length }; };",
    ),
  });
  const failed = Fail.jsonata(stack, 'Failed', { error: 'Refused', cause: '{% $why & $states.input.sku %}' });
  const ask = LambdaInvoke.jsonata(stack, 'Ask', {
    lambdaFunction: price,
    payload: TaskInput.fromObject({ sku: '{% $states.input.sku %}' }),
    outputs: { sku: '{% $states.input.sku %}', price: '{% $states.result.Payload.price %}' },
    assign: { asked: '{% $shop %}' },
  });
  const each = MapState.jsonata(stack, 'Each', {
    items: ProvideItems.jsonata('{% $states.input.skus %}'),
    itemSelector: { sku: '{% $states.context.Map.Item.Value %}' },
    outputs: { lines: '{% $states.result %}', total: '{% $sum($states.result.price) %}' },
    maxConcurrency: 1,
  })
    .itemProcessor(ask)
    .addCatch(failed, {
      assign: { why: "{% 'Refused: ' %}" },
      outputs: { sku: '{% $states.errorOutput.Error %}' },
    });
  const both = Parallel.jsonata(stack, 'Both', {
    arguments: { total: '{% $states.input.total %}' },
    outputs: '{% $merge($states.result) %}',
  })
    .branch(Pass.jsonata(stack, 'Net', { outputs: { net: '{% $states.input.total %}' } }))
    .branch(Pass.jsonata(stack, 'Gross', { outputs: { gross: '{% $states.input.total * 2 %}' } }));
  const which = Choice.jsonata(stack, 'Which')
    .when(Condition.jsonata('{% $states.input.gross > 100 %}'), failed, {
      assign: { why: 'too much' },
      outputs: { sku: '' },
    })
    .otherwise(Succeed.jsonata(stack, 'Done', { outputs: { of: '{% $shop %}', gross: '{% $states.input.gross %}' } }));
  const begin = Pass.jsonata(stack, 'Begin', { assign: { shop: '{% $states.input.shop %}', why: 'unknown' } });
  const rest = Wait.jsonata(stack, 'Rest', { time: WaitTime.seconds('{% $states.input.seconds %}') });
  new StateMachine(stack, 'Machine', {
    queryLanguage: language,
    definitionBody: DefinitionBody.fromChainable(begin.next(rest).next(each).next(both).next(which)),
    timeout: Duration.hours(1),
  });
  return app.synth().directory;
}

async function play(folder: string, input: object) {
  const { machines, world } = new Cloud(new Deployment(new Assembly(folder)), { seed: '1' });
  const [arn = ''] = machines.machines.keys();
  const execution = machines.start(arn, { input: JSON.stringify(input) });
  await world.settle();
  return execution.outcome;
}

test.each([QueryLanguage.JSONATA, QueryLanguage.JSON_PATH])(
  'states in JSONata run as the CDK writes them, in a machine in %s',
  async (language) => {
    const folder = synthesize(language);
    expect(checkAssembly(folder)).toEqual([]);
    const order = { shop: 'lamps', seconds: 3, skus: ['a', 'abc'] };
    expect(await play(folder, order)).toEqual({ output: { of: 'lamps', gross: 8 } });
    expect(await play(folder, { ...order, skus: ['a', 'gone'] })).toEqual({
      error: 'Refused',
      cause: 'Refused: Error',
    });
    expect(await play(folder, { ...order, skus: ['a'.repeat(60)] })).toEqual({ error: 'Refused', cause: 'too much' });
  },
);
