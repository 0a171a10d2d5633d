import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { effectOf } from './effects.js';
import { documents, logger, once } from './infrastructure.js';
import type { Message } from './messages.js';

const carryOut = once<Message, { readonly ok: boolean }>('id', async (message) => {
  await documents.send(new TransactWriteCommand({ TransactItems: [...(await effectOf(message))] }));
  return { ok: true };
});

/** Carries a command out for a state machine that waits for it: the machine may invoke it again, so it is idempotent too. */
export async function handler(message: Message, context: Context): Promise<{ readonly ok: boolean }> {
  carryOut.config.registerLambdaContext(context);
  logger.addContext(context);
  const answer = await carryOut.handle(message);
  logger.info('message processed', { messageId: message.id, type: message.type, orderId: message.orderId });
  return answer;
}
