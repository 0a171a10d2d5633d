import * as z from 'zod/mini';

const usersContract = {
  service: 'users',
  person: 'userId',
  events: { UserSuspected: { version: 1, data: z.object({ userId: z.string() }) } },
} as const;

// The example of the pattern's README, word for word from here on.

import { SafeError, safeText } from '@orderly/kit/aws';
import { noEffect } from '@orderly/kit/idempotent-consumer';
import { inbox, on } from '@orderly/kit/inbox';
import { subscribe } from '@orderly/kit/messages';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';

const suspicions = subscribe(usersContract, ['UserSuspected']);

export const handler = inbox(
  [
    on(suspicions, {
      UserSuspected: async ({ event }, work) => {
        const { status } = await fetch(`https://fraud.example.com/${event.data.userId}`, { signal: work.signal });
        // Shown everywhere: the text stands here, and a number is no personal data.
        if (status >= 500) throw new SafeError(safeText`the fraud service answered ${status}`);
        // May contain a person's data: sealed for the user whom the message names.
        if (status !== 200) throw new Error(`no review of ${event.data.userId}: ${status}`);
        return noEffect;
      },
    }),
  ],
  { personalKeys: personalKeysFromEnvironment() },
);
