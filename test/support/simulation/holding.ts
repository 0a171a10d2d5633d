import type { Orderly } from './orderly.js';

export interface Held {
  /** Bodies of the messages that were held back so far. */
  readonly held: readonly string[];
  /** Delivers the held messages. Each further call delivers them again. */
  readonly letGo: () => void;
}

/** Delays messages of a type before a consumer's queue. A standard queue may do the same, because it keeps no order. */
export function holdMessages(orderly: Orderly, consumer: string, type: string): Held {
  const queue = orderly.findQueue(consumer);
  const send = queue.send.bind(queue);
  const held: string[] = [];
  queue.send = (message, sentAt) =>
    message.body.includes(`"${type}"`) ? `held-${held.push(message.body)}` : send(message, sentAt);
  const letGo = (): void => {
    queue.send = send;
    for (const body of held) send({ body });
  };
  return { held, letGo };
}
