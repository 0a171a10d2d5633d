import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnOutput, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Provider } from 'aws-cdk-lib/custom-resources';
import { beforeAll, expect, test } from 'vitest';
import { Cloud, checkAssembly, loadDeployment } from '../../packages/simulator/index.js';

const CREATES = `exports.handler = async ({ ResourceProperties: { fails } }) => {
  if (fails) throw new Error('no luck');
  return { PhysicalResourceId: 'made', Data: { Name: 'a shop' } };
};`;
const IS_COMPLETE = `let asked = 0;
exports.handler = async () => (++asked > 2 ? { IsComplete: true, Data: { Done: 'yes' } } : { IsComplete: false });`;
const READS = 'exports.handler = async () => [process.env.NAME, process.env.DONE];';

/** Synthesizes custom resources of the CDK's provider framework, as an app has them. @returns the folder of the assembly */
function synthesize(properties: Record<string, unknown>): string {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'provider-')) });
  const stack = new Stack(app, 'Shop');
  const fn = (id: string, code: string): LambdaFunction =>
    new LambdaFunction(stack, id, {
      runtime: Runtime.NODEJS_20_X,
      handler: 'index.handler',
      code: Code.fromInline(code),
    });
  const onEventHandler = fn('Creates', CREATES);
  const at = new Provider(stack, 'AtOnce', { onEventHandler });
  const made = new CustomResource(stack, 'Made', { serviceToken: at.serviceToken, properties });
  const isCompleteHandler = fn('IsComplete', IS_COMPLETE);
  const later = new Provider(stack, 'Later', {
    onEventHandler,
    isCompleteHandler,
    queryInterval: Duration.seconds(10),
    totalTimeout: Duration.minutes(5),
  });
  const done = new CustomResource(stack, 'Done', { serviceToken: later.serviceToken });
  const reads = fn('Reads', READS);
  reads.addEnvironment('NAME', made.getAttString('Name'));
  reads.addEnvironment('DONE', done.getAttString('Done'));
  new CfnOutput(stack, 'Id', { value: made.ref });
  return app.synth().directory;
}

let folder: string;
beforeAll(() => {
  folder = synthesize({});
});

test('custom resources of the CDK’s provider framework run as they are, those that take time too', async () => {
  expect(checkAssembly(folder)).toEqual([]);
  const cloud = new Cloud(loadDeployment(folder), { seed: '1' });
  await cloud.deployed();
  // Two questions in vain, ten seconds apart.
  expect(cloud.world.now - cloud.world.begins).toBeGreaterThan(20_000);
  const results: unknown[] = [];
  cloud.fn('Reads').invoke({}, (result) => results.push(result));
  await cloud.world.settle();
  expect(results).toEqual([{ kind: 'returned', value: ['a shop', 'yes'] }]);
});

test('a handler that throws is the failure of the deployment', async () => {
  const cloud = new Cloud(loadDeployment(synthesize({ fails: true })), { seed: '1' });
  await expect(cloud.deployed()).rejects.toThrow(/^Made\S* is not created, so the deployment fails: .*no luck/);
});
