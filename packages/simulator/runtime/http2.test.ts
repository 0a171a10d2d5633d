import { expect, test } from 'vitest';
import { environment, value } from '../support/environments.js';
import { toSingleFile } from './function-code.js';

const PUTS = `
  const { KinesisClient, PutRecordCommand } = require('@aws-sdk/client-kinesis');
  const client = new KinesisClient({ maxAttempts: 1, region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  exports.handler = async () => {
    const answer = await client.send(new PutRecordCommand({ StreamName: 'clicks', PartitionKey: 'a', Data: Buffer.from('1') }));
    return answer.SequenceNumber;
  };`;
const BUNDLE = toSingleFile({ source: PUTS }, 'Work');

test("AWS's client of Kinesis, which speaks HTTP/2, sends its requests through the simulator", async () => {
  const sent: string[] = [];
  const { invoke } = environment(BUNDLE, '1', ({ host, path, body }, reply) => {
    sent.push(`${host}${path} ${body}`);
    reply.answer({
      status: 200,
      headers: { 'content-type': 'application/x-amz-json-1.1' },
      body: '{"SequenceNumber":"7"}',
    });
  });
  expect(value(await invoke())).toBe('7');
  expect(value(await invoke())).toBe('7');
  expect(sent).toEqual(
    Array(2).fill('kinesis.eu-west-1.amazonaws.com/ {"Data":"MQ==","StreamName":"clicks","PartitionKey":"a"}'),
  );
});

test('a connection that breaks is an error of the request', async () => {
  const { invoke } = environment(BUNDLE, '1', (_, reply) => reply.fail('ECONNRESET'));
  expect(await invoke()).toMatchObject({ kind: 'threw', message: 'simulated ECONNRESET' });
});
