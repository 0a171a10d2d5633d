import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Env } from '../aws/environment.js';
import { acknowledgeIsDeadLetterQueue, acknowledgeQueueSource } from '../base/acknowledge.js';
import { LEAST_QUEUE_CONCURRENCY } from '../base/concurrency.js';
import { windowVariable } from '../base/dedupe-window.js';
import type { AnyTable } from '../base/interfaces.js';
import type { QueueAccess } from '../base/queue-access.construct.js';
import { ServiceFunction } from '../base/service-function.construct.js';
import type { DedupeWindowSetting } from '../base/settings.js';
import { recordsPrefix } from '../failures/contract.js';

/** Retention of the dead-letter queues. A message that comes from the queue keeps its original date. */
export const DLQ_RETENTION = Duration.days(14);
const DRAIN_TIMEOUT = Duration.seconds(30);

/** A queue that the drain reads. */
export function createDeadLetterQueue(scope: Construct, id: string, access: QueueAccess): Queue {
  const queue = access.createQueue(scope, id, {
    retentionPeriod: DLQ_RETENTION,
    visibilityTimeout: Duration.seconds(6 * DRAIN_TIMEOUT.toSeconds()),
  });
  acknowledgeIsDeadLetterQueue(queue);
  return queue;
}

/** The parts of a consumer that its drain needs. */
interface DrainedConsumer {
  readonly name: string;
  readonly generation: number;
  readonly since: string | undefined;
  readonly dedupeWindow: DedupeWindowSetting;
  readonly handler: ServiceFunction;
  readonly records: AnyTable;
  readonly deadLetters: Queue;
  readonly undelivered: Queue;
}

/**
 * Adds the function that turns each message of a consumer's dead-letter queues into a failure record at once.
 * @returns the function
 */
export function addDeadLetterDrain(consumer: Construct & DrainedConsumer): ServiceFunction {
  const { name, generation, since, dedupeWindow, handler, records, deadLetters, undelivered } = consumer;
  const drain = new ServiceFunction(consumer, 'DrainDeadLetters', {
    context: handler.context,
    entry: 'kit/drains/drain-dead-letters',
    timeout: DRAIN_TIMEOUT,
    environment: {
      [Env.CONSUMER]: name,
      [Env.CONSUMER_GENERATION]: String(generation),
      ...(since === undefined ? {} : { [Env.CONSUMER_SINCE]: since }),
      [Env.UNDELIVERED]: undelivered.queueArn,
      [Env.DEDUPE_WINDOW_SECONDS]: windowVariable(dedupeWindow),
      [Env.RECORDS]: records.tableName,
    },
  });
  for (const queue of [deadLetters, undelivered]) {
    drain.function.addEventSource(
      new SqsEventSource(queue, {
        batchSize: 10,
        reportBatchItemFailures: true,
        maxConcurrency: LEAST_QUEUE_CONCURRENCY,
      }),
    );
  }
  acknowledgeQueueSource(drain);
  drain.grantItems(records, ['PutItem', 'GetItem', 'UpdateItem'], recordsPrefix(name));
  return drain;
}
