import type { TransactWriteItem } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { requireEnv } from '../../../packages/kit/aws/read-environment.js';
import { inbox } from '../../../packages/kit/inbox/inbox.js';
import { on, unfinished, type WorkResult } from '../../../packages/kit/inbox/inbox-source.js';
import type { Work } from '../../../packages/kit/inbox/work.js';
import { ADDRESS, PAGES, parcels } from './contract.js';

/** A parcel that nobody takes. */
class Refused extends Error {}

const SECOND = 1000;
/** A handler may take minutes. */
const SLOW = 180 * SECOND;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Each parcel's effect is a count, which nothing guards but the record of its message. */
export const handler = inbox(
  [
    on(parcels, {
      ParcelSent: async ({ event }, work): Promise<WorkResult> => {
        const { name } = event.data;
        if (name.startsWith('refused')) throw new Refused(`nobody takes it to ${ADDRESS}`);
        if (name.startsWith('flaky') && work.attempt < 3) JSON.parse(ADDRESS);
        if (name.startsWith('broken')) throw new Error(`never to ${ADDRESS}`, { cause: ADDRESS });
        if (name.startsWith('slow')) await pause(SLOW);
        if (name.startsWith('paged') || name.startsWith('frozen')) {
          const page = await workInPages(name, work);
          if (page < PAGES) return unfinished;
        }
        return { decide: async () => [counted(name)] };
      },
    }),
  ],
  { isRefusal: (error) => error instanceof Refused },
);

/** @returns how many pages are done. One invocation does two of them. */
async function workInPages(name: string, work: Work): Promise<number> {
  let { page } = (work.progress ?? { page: 0 }) as { page: number };
  for (let done = 0; done < 2 && page < PAGES; done++) {
    // Its second runner works on it at the time at which the first one, whose lease is over, saves.
    if (name.startsWith('frozen') && page === 0) await pause((work.attempt === 1 ? 150 : 100) * SECOND);
    page += 1;
    await work.save({ page }, [counted(`${name}/${page}`)]);
  }
  return page;
}

const counted = (name: string): TransactWriteItem => ({
  Update: {
    TableName: requireEnv(Env.TABLE),
    Key: { pk: `Parcel#${name}`, sk: 'STATE' },
    UpdateExpression: 'ADD times :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});
