import { inventoryContract } from '../../../lambdas/inventory/contract.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import type { DemoConsumer } from './bus-queue.js';

/** Piece of work of a consumer that a demo compares with the idempotent one. */
export interface Worked {
  /** Id of the command. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly what: string;
}

/** Reads a ReserveStock command. @returns its id, and the number of pieces that it wants */
export function parsePieces(body: string): { readonly id: string; readonly pieces: number } {
  const { id, data } = readEnvelope(body);
  const { lines } = inventoryContract.commands.ReserveStock.data.parse(data);
  return { id, pieces: lines.reduce((sum, { quantity }) => sum + quantity, 0) };
}

/**
 * Naive consumer that shows what not to do, for comparison with the idempotent one. It takes pieces from the stock for each
 * ReserveStock command that it receives, as if each arrived exactly once.
 */
export class NaiveConsumer implements DemoConsumer {
  /** Work that it did for each message that it received. */
  readonly worked: Worked[] = [];

  /** @param left pieces in stock, as this consumer counts them @param now the time, in milliseconds */
  constructor(
    public left: number,
    private readonly now: () => number,
  ) {}

  /** Handles a message. The fault is here: nothing checks whether this command was handled before. */
  async handle(body: string): Promise<boolean> {
    const { id, pieces } = parsePieces(body);
    this.left -= pieces;
    this.worked.push({ id, at: new Date(this.now()).toISOString(), what: `took ${pieces}, ${this.left} left` });
    return true;
  }
}
