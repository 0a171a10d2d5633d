import * as z from 'zod/mini';

const usersContract = {
  service: 'users',
  events: { UserSuspected: { version: 1, data: z.object({ userId: z.string() }) } },
} as const;
declare const orders: {
  /** Orders of a user, behind a place in the list. */
  page(userId: string, after?: string): Promise<{ readonly orderIds: readonly string[]; readonly last?: string }>;
};

// The example of the pattern's README, word for word from here on.

import { Env, requireEnv } from '@orderly/kit/aws';
import { noEffect } from '@orderly/kit/idempotent-consumer';
import { inbox, on, unfinished } from '@orderly/kit/inbox';
import { subscribe } from '@orderly/kit/messages';

export const suspicions = subscribe(usersContract, ['UserSuspected']);

const flag = (orderId: string) => ({
  Put: { TableName: requireEnv(Env.TABLE), Item: { pk: `Review#${orderId}`, sk: 'STATE', open: true } },
});

export const handler = inbox([
  on(suspicions, {
    UserSuspected: async ({ event }, work) => {
      let place = work.progress as { after?: string } | undefined;
      while (work.timeLeft() > 10_000) {
        const { orderIds, last } = await orders.page(event.data.userId, place?.after);
        if (last === undefined) return noEffect;
        place = { after: last };
        // The page's writes and the place to continue from: both, or neither.
        await work.save(place, orderIds.map(flag));
      }
      return unfinished;
    },
  }),
]);
