import { ask } from '../page/ask.js';

/** Time after which every record of a message has expired: the deduplication window of the kit is 35 days. */
const LATER = 36 * 86_400_000;
const MINUTE = 60_000;

/** Actions of a local cloud on one message. Each returns a sentence about its result. */
export const ACTIONS = {
  sendAgain: async (eventId: string): Promise<string> => {
    const { type } = await ask<{ type: string }>('/_local/duplicate', { id: eventId });
    return `${type} is sent again.`;
  },
  killNext: async (owner: string): Promise<string> => {
    await ask('/_local/fault', { owner, kind: 'killed-before', next: 1 });
    return `${owner} is killed in the middle of its next attempt: send it a message. What it loses comes again a minute later.`;
  },
  sendMuchLater: async (eventId: string): Promise<string> => {
    await ask('/_local/forward', { milliseconds: LATER });
    const { type } = await ask<{ type: string }>('/_local/duplicate', { id: eventId });
    return `36 days have passed, and ${type} is sent again.`;
  },
  forwardMinute: async (): Promise<string> => {
    await ask('/_local/forward', { milliseconds: MINUTE });
    return 'A minute has passed.';
  },
} as const;
