import type { TransactWriteItem } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { requireEnv } from '../../../packages/kit/aws/read-environment.js';
import { noEffect } from '../../../packages/kit/idempotent-consumer/handle-command.js';
import { inbox } from '../../../packages/kit/inbox/inbox.js';
import { on } from '../../../packages/kit/inbox/inbox-source.js';
import { steps } from './contract.js';

/** A step that the till refuses. */
class Refused extends Error {}

/** Appends each step to the till's list. Nothing but the inbox guards their order. */
export const handler = inbox(
  [
    on(steps, {
      StepTaken: ({ envelope, event }, work) => {
        const { step } = event.data;
        if (step.startsWith('refused')) throw new Refused('not here');
        if (step.startsWith('flaky') && work.attempt < 2) throw new Error('not today');
        return { decide: async () => [appended(envelope.subject, envelope.sequence)] };
      },
      TillCleaned: () => noEffect,
    }),
  ],
  { isRefusal: (error) => error instanceof Refused },
);

const appended = (subject: string, sequence: number): TransactWriteItem => ({
  Update: {
    TableName: requireEnv(Env.TABLE),
    Key: { pk: subject.replace('/', '#'), sk: 'STATE' },
    UpdateExpression: 'SET steps = list_append(if_not_exists(steps, :none), :step)',
    ExpressionAttributeValues: { ':none': [], ':step': [sequence] },
  },
});
