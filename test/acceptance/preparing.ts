import { expect } from 'vitest';
import { world } from '../support/world.js';
import type { ApiAnswer } from './world.js';

/**
 * Sends a request that prepares a scenario until it is answered 200. It repeats it as clients do after a 5xx, which a busy
 * emulator answers now and then. The request must be naturally idempotent, such as a PUT.
 */
export const prepared = (what: string, request: () => Promise<ApiAnswer<unknown>>): Promise<void> =>
  world.eventually(what, async () => {
    const { status, body } = await request();
    expect(status, JSON.stringify(body)).toBe(200);
  });
