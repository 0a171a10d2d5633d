import { signal } from '@preact/signals';
import type { ConsoleFacts } from '../server/contract.js';
import { ask } from './ask.js';

/** Facts of the server about itself; `undefined` until it has answered. */
export const facts = signal<ConsoleFacts | undefined>(undefined);

/** Asks for the facts. Where nothing answers, the connection says so. */
export async function readFacts(): Promise<ConsoleFacts | undefined> {
  facts.value = await ask<ConsoleFacts>('/_console/facts').catch(() => undefined);
  return facts.value;
}
