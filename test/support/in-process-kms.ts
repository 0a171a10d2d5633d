import { KMSClient } from '@aws-sdk/client-kms';
import { Random } from '../../packages/simulator/engine/random.js';
import { Kms } from '../../packages/simulator/services/kms/model.js';
import { type Operation, Refused } from '../../packages/simulator/wire/operation.js';
import type { AwsError } from '../../packages/simulator/wire/request.js';
import { unsigned } from './unsigned.js';

export const KMS_KEY = 'arn:aws:kms:eu-west-1:123456789012:key/people';

const resource = {
  stack: 'Test',
  logicalId: 'Key',
  type: 'AWS::KMS::Key',
  label: 'Key',
  attributes: {},
  properties: {},
};

interface Failure {
  readonly error: AwsError;
}

function outcomeOf(carryOut: () => object): Failure | { readonly output: object } {
  try {
    return { output: carryOut() };
  } catch (error) {
    if (error instanceof Refused) return { error: error.error };
    throw error;
  }
}

/** A client that the simulator's model answers. @returns with the operations that it was asked for, in order */
export function inProcessKms(): { readonly kms: KMSClient; readonly calls: string[]; fails: Failure | undefined } {
  const model = new Kms([{ ...resource, ref: 'people', arn: KMS_KEY }], new Random('kms'));
  const kms = new KMSClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    signer: unsigned,
    requestHandler: {
      handle: async ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => {
        const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
        calls.push(operation);
        const carryOut = model.operations[operation] as Operation;
        const answer = inProcess.fails ?? outcomeOf(() => carryOut(JSON.parse(new TextDecoder().decode(body))));
        const [statusCode, output] =
          'error' in answer ? [answer.error.status, { __type: answer.error.code }] : [200, answer.output];
        const response = { 'content-type': 'application/x-amz-json-1.1' };
        return { response: { statusCode, headers: response, body: Buffer.from(JSON.stringify(output)) } };
      },
    } as never,
  });
  const calls: string[] = [];
  const inProcess = { kms, calls, fails: undefined as Failure | undefined };
  return inProcess;
}
