import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { effectOf } from './effects.js';
import { consumer, documents, outboxPut, SERVICE } from './infrastructure.js';
import { STEPS } from './messages.js';

/** Carries a command out: effect and answer are in one transaction, the idempotency record is beside it. */
export const handler = consumer(async (message) => {
  const type = STEPS.find(({ service }) => service === SERVICE)?.done ?? '';
  const answer = { ...message, id: crypto.randomUUID(), type, time: new Date().toISOString() };
  const writes = await effectOf(message);
  await documents.send(new TransactWriteCommand({ TransactItems: [...writes, outboxPut(answer)] }));
});
