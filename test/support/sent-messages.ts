import { SQSClient } from '@aws-sdk/client-sqs';
import { vi } from 'vitest';

/** Input of a SendMessage. */
export interface SentMessage {
  readonly QueueUrl?: string;
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

/** Takes the messages that this process sends to queues, until mocks are restored. @returns them, in their order */
export function sentMessages(): SentMessage[] {
  const sent: SentMessage[] = [];
  vi.spyOn(SQSClient.prototype, 'send').mockImplementation((async ({ input }: { readonly input: SentMessage }) => {
    sent.push(input);
    return {};
  }) as never);
  return sent;
}
