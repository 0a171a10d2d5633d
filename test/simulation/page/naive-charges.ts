import { randomUUID } from 'node:crypto';
import { dynamoDbTable, requireEnv } from '@orderly/kit/aws';
import type { SQSEvent } from 'aws-lambda';
import type { PaymentEvent } from '../../../lambdas/payments/contract.js';
import { PaymentsEnv } from '../../../lambdas/payments/environment.js';
import { SandboxProvider } from '../../../lambdas/payments/provider/sandbox-provider.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';

const provider = new SandboxProvider(dynamoDbTable(requireEnv(PaymentsEnv.SANDBOX)));

/**
 * Naive consumer that shows what not to do, in the place of Orderly's. It charges for each request that it receives, as if each arrived
 * exactly once: nothing checks whether this message was handled before, and each attempt has a key of its own at the provider.
 */
export async function handler({ Records }: SQSEvent): Promise<void> {
  for (const { messageId, body } of Records) {
    const event = readEnvelope(body) as unknown as PaymentEvent;
    if (event.type !== 'PaymentRequested') continue;
    const { paymentId, accountId, amount } = event.data;
    const { providerId } = await provider.create({ key: randomUUID(), paymentId, accountId, amount });
    await provider.confirm({ key: randomUUID(), providerId });
    console.log(JSON.stringify({ messageId, message: 'applied' }));
  }
}
