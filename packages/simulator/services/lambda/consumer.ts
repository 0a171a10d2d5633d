import type { Resource } from '../../assembly/assembly.js';
import type { InvocationTrouble } from '../../engine/faults.js';
import type { InvocationResult } from './model.js';

/** Receiver of the batches that the poller of a queue or a stream has read: a function, or a pipe with its target. */
export interface Consumer {
  /** Path of its construct. */
  readonly label: string;
  /** ARN of the role with which its poller reads the source. */
  readonly role: string;
  readonly resource: Resource;
  /** Number of batches that it can handle at once. */
  readonly maxConcurrency: number;
  /** Name of the next invocation. */
  readonly nextInvocation: string;
  /** @param listener called with each line that it logs @returns a function that ends this */
  onLine(listener: (text: string) => void): () => void;
  /**
   * Hands a batch over; `done` is called once, however that ends.
   * @param trouble that the batch brings with it. @default none
   */
  invoke(event: { readonly Records: readonly object[] }, done: Done, trouble?: InvocationTrouble): void;
}

/** Called with what became of a batch. A returned value may name the records that failed. */
export type Done = (result: InvocationResult) => void;
