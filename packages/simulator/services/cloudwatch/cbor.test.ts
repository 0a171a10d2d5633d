import { CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { AwsSmithyRpcV2CborProtocol } from '@aws-sdk/core/protocols';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { createCloud } from '../../support/clouds.js';

/** A client that chooses the protocol that AWS's clients for Go and Python choose. */
function clientOf(cloud: ReturnType<typeof createCloud>) {
  const protocol = new AwsSmithyRpcV2CborProtocol({
    defaultNamespace: 'com.amazonaws.cloudwatch',
    serviceTarget: 'GraniteServiceVersion20100801',
  } as ConstructorParameters<typeof AwsSmithyRpcV2CborProtocol>[0]);
  return new CloudWatchClient({ ...awsApiOf(cloud).config, protocol });
}

test('a client that speaks CBOR reads alarms and metrics', async () => {
  const cloud = createCloud({
    Queue: { Type: 'AWS::SQS::Queue' },
    Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { AlarmName: 'late', Threshold: 1.5 } },
  });
  const client = clientOf(cloud);
  const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({ AlarmNames: ['late'] }));
  expect(MetricAlarms).toMatchObject([{ AlarmName: 'late', Threshold: 1.5 }]);
  const { now } = cloud.world;
  const Metric = {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Dimensions: [{ Name: 'QueueName', Value: 'Shop-Queue' }],
  };
  const { MetricDataResults } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now - 60_000),
      EndTime: new Date(now + 60_000),
      MetricDataQueries: [{ Id: 'm', MetricStat: { Metric, Period: 60, Stat: 'Maximum' } }],
    }),
  );
  expect(MetricDataResults).toMatchObject([{ Id: 'm', Values: [0], Timestamps: [new Date(now)] }]);
});
