import { Refused } from '../../wire/operation.js';
import type { NewMessage, Queue } from './model.js';
import { messageBytes } from './new-messages.js';
import { invalid } from './refusals.js';

/**
 * Sends a message of another service to a queue, which may refuse it: a FIFO queue for want of a group or of anything by which it recognises the
 * message, any queue for its size. Amazon SQS API Reference, "SendMessage". No service sends such a message again: the same one is refused again.
 * @returns the refusal; nothing if the queue took the message
 */
export function offer(queue: Queue, message: NewMessage): Refused | undefined {
  try {
    const { body, attributes } = message;
    if (messageBytes({ MessageBody: body, MessageAttributes: attributes }) > queue.settings.size)
      throw invalid(
        `One or more parameters are invalid. Reason: Message must be shorter than ${queue.settings.size} bytes.`,
      );
    queue.send(message);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}
