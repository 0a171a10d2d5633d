import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clock } from '@orderly/kit/internal/aws/clock.js';
import { documents } from '@orderly/kit/internal/aws/dynamodb.js';
import { Env } from '@orderly/kit/internal/aws/environment.js';
import { required, requiredInteger, requiredList } from '@orderly/kit/internal/aws/read-environment.js';
import { logged, logger, publishMetrics, seconds } from '@orderly/kit/internal/aws/telemetry.js';
import type { Context } from 'aws-lambda';
import { transportsBy } from '../audit/transports.js';
import { servicesIn } from '../deployment/services.js';
import { readStacksNamed } from '../deployment/stacks.js';
import { sendBy } from '../records/send.js';
import { Auditor } from './auditor.js';
import { AuditorEnv, AuditorMetric } from './contract.js';

const stacks = requiredList(AuditorEnv.STACKS);
const options = {
  documents,
  table: required(AuditorEnv.TABLE),
  app: required(Env.APP),
  behindSeconds: requiredInteger(AuditorEnv.BEHIND_SECONDS),
  resends: requiredInteger(AuditorEnv.RESENDS),
  pages: requiredInteger(AuditorEnv.PAGES),
  pageSize: requiredInteger(AuditorEnv.PAGE_SIZE),
};
const cloudFormation = new CloudFormationClient();
const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
const transports = {
  ...transportsBy({ sqs, lambda: new LambdaClient(), cloudWatch: new CloudWatchClient() }, () => clock.now()),
  send: sendBy(sqs),
};

/** Runs every few minutes: audits the feeds of all services, and sends missing deliveries again. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  try {
    // As they are deployed at this moment.
    const services = servicesIn(await readStacksNamed(cloudFormation, stacks));
    const lag = await new Auditor({ ...options, services, transports }).run(() => context.getRemainingTimeInMillis());
    if (lag === undefined) logger.info('another run is at work');
    else seconds(AuditorMetric.LAG, lag);
  } catch (error) {
    throw logged('an audit was not finished', error);
  } finally {
    publishMetrics();
  }
}
