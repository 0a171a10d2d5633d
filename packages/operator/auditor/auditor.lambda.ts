import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clock } from '@orderly/kit/internal/aws/clock.js';
import { documentClient } from '@orderly/kit/internal/aws/dynamodb.js';
import { Env } from '@orderly/kit/internal/aws/environment.js';
import { requireEnv, requireIntegerEnv, requireListEnv } from '@orderly/kit/internal/aws/read-environment.js';
import { logAndSanitize, logger, publishMetrics, recordSeconds } from '@orderly/kit/internal/aws/telemetry.js';
import type { Context } from 'aws-lambda';
import { createTransports } from '../audit/transports.js';
import { parseServices } from '../deployment/services.js';
import { readStacksNamed } from '../deployment/stacks.js';
import { createSender } from '../records/message-sender.js';
import { Auditor } from './auditor.js';
import { AuditorEnv, AuditorMetric } from './contract.js';
import { findLongestPause } from './longest-pause.js';

const stacks = requireListEnv(AuditorEnv.STACKS);
const options = {
  documents: documentClient,
  table: requireEnv(AuditorEnv.TABLE),
  app: requireEnv(Env.APP),
  behindSeconds: requireIntegerEnv(AuditorEnv.BEHIND_SECONDS),
  resends: requireIntegerEnv(AuditorEnv.RESENDS),
  pages: requireIntegerEnv(AuditorEnv.PAGES),
  pageSize: requireIntegerEnv(AuditorEnv.PAGE_SIZE),
};
const cloudFormation = new CloudFormationClient();
const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
const transports = {
  ...createTransports({ sqs, lambda: new LambdaClient(), cloudWatch: new CloudWatchClient() }, () => clock.now()),
  send: createSender(sqs),
};

/** Runs every few minutes: measures pauses, audits the feeds of all services, and sends missing deliveries again. */
export async function handler(_tick: unknown, context: Context): Promise<void> {
  try {
    // As they are deployed at this moment.
    const services = parseServices(await readStacksNamed(cloudFormation, stacks));
    // Before the audit: it may need all of its time, or end with an error.
    recordSeconds(AuditorMetric.PAUSED, await findLongestPause(documentClient, services, clock.now()));
    const lag = await new Auditor({ ...options, services, transports }).run(() => context.getRemainingTimeInMillis());
    if (lag === undefined) logger.info('another run is at work');
    else recordSeconds(AuditorMetric.LAG, lag);
  } catch (error) {
    throw logAndSanitize('an audit was not finished', error);
  } finally {
    publishMetrics();
  }
}
