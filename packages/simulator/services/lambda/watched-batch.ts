import type { EventLoop } from '../../engine/event-loop.js';
import { readMessageFacts } from '../../engine/happenings.js';
import type { Message } from '../sqs/model.js';
import type { Consumer } from './consumer.js';
import type { InvocationResult } from './model.js';

/** Words of a consumer's log line that mean an outcome of another name. Any other word is an outcome itself. */
const OUTCOMES: Readonly<Record<string, string>> = {
  retrying: 'postponed',
  failed: 'refused',
  'failed again': 'refused',
};

/**
 * Tells those who watch what becomes of each message of a batch: what the function says of it in a log line, or else what the
 * end of its invocation means. A line is about a message if it is a JSON object with the queue's `messageId`; its `message` is the
 * outcome, as the consumers of the kit write it.
 */
export class WatchedBatch {
  private readonly open: Map<string, Message>;
  private invocation = '';

  constructor(
    private readonly fn: Consumer,
    private readonly world: EventLoop,
    private readonly messages: readonly Message[],
  ) {
    this.open = new Map(messages.map((message) => [message.id, message]));
  }

  /** @param invocation that has the batch */
  begin(invocation: string): void {
    this.invocation = invocation;
    for (const message of this.messages) this.tell(message, 'began');
  }

  /** Reads a line that the function has logged. */
  readLine(text: string): void {
    if (!text.includes('"messageId"')) return;
    try {
      const { messageId, message: said, name, text: why } = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const message = this.open.get(String(messageId));
      if (!message || typeof said !== 'string') return;
      this.open.delete(message.id);
      const error = [name, why].filter((part) => typeof part === 'string').join(': ');
      this.tell(message, OUTCOMES[said] ?? said, error);
    } catch {
      // It is cut off, or no JSON, so it says nothing of a message.
    }
  }

  /** @param isDone whether the queue may delete the message */
  end(result: InvocationResult, isDone: (message: Message) => boolean): void {
    const isLost = result.kind === 'failed' && result.name === 'Sandbox.Lost';
    const left = isLost ? this.messages : this.open.values();
    for (const message of left) {
      const failed = isLost ? 'answer lost' : result.kind === 'throttled' ? 'throttled' : 'crashed';
      const ended = isDone(message) ? 'done' : 'postponed';
      this.tell(
        message,
        result.kind === 'returned' ? ended : failed,
        result.kind === 'failed' ? `${result.name}: ${result.message}` : '',
      );
    }
  }

  private tell({ id, body, receiveCount, receivedBefore = 0 }: Message, outcome: string, error = ''): void {
    this.world.tell(() => ({
      kind: 'delivery',
      owner: this.fn.label,
      id: `${id} ${receivedBefore + receiveCount}`,
      messageId: id,
      receiveCount: receivedBefore + receiveCount,
      invocation: this.invocation,
      outcome,
      ...(error !== '' && { error }),
      ...readMessageFacts(body),
    }));
  }
}
