import { App } from 'aws-cdk-lib';
import { APP } from '../lambdas/app.js';
import { ENVIRONMENT_NAMES } from '../lib/environment-names.js';
import { PipelineError, PipelineStack } from '../lib/pipeline-stack.js';

/**
 * An app of its own, so that nothing of an environment depends on it:
 * `npx cdk deploy --app 'node --import tsx bin/pipeline-app.ts' -c repository=owner/name`; also `-c environments=prod` for an account
 * that has one of them, and `-c provider=<ARN>` if the account has GitHub's identity provider.
 */
const app = new App();
const context = (name: string): string | undefined => app.node.tryGetContext(name);
const provider = context('provider');

try {
  new PipelineStack(app, 'Pipeline', {
    repository: context('repository') ?? '',
    app: APP.name,
    environments: context('environments')?.split(',') ?? ENVIRONMENT_NAMES,
    ...(provider !== undefined && { provider }),
  });
  app.synth();
} catch (error) {
  if (!(error instanceof PipelineError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
