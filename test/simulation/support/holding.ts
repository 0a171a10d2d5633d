import type { Orderly } from './orderly.js';

export interface Held {
  /** Their bodies, as many as have come by now. */
  readonly held: readonly string[];
  /** Ends it: what was held arrives now, once more each time that this is called. */
  readonly letGo: () => void;
}

/** Holds messages of a type back on their way into a consumer's queue, as a standard queue may: it keeps no order. */
export function holding(orderly: Orderly, consumer: string, type: string): Held {
  const queue = orderly.queueOf(consumer);
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
