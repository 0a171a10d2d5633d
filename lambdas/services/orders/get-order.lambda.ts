import * as z from 'zod/mini';
import { endpoint } from '../../platform/http.js';
import { orderIdOf, orderStore } from './order-store.js';
import { shownTo } from './people.js';

const Query = z
  .strictObject({
    at: z.exactOptional(z.iso.datetime({ offset: true })),
    version: z.exactOptional(z.string().check(z.regex(/^\d{1,15}$/, 'expected a whole number'))),
  })
  .check(
    z.refine(({ at, version }) => at === undefined || version === undefined, {
      path: ['version'],
      error: 'expected either at or version',
    }),
  );

/** GET /orders/{orderId}: the order now, or as it was at a time or version; strongly consistent. */
export const handler = endpoint(
  { roles: ['customer', 'operator'], query: Query },
  async ({ caller, query, parameter }) => {
    const id = orderIdOf(parameter('orderId'));
    const { at, version } = query;
    const load = () => {
      if (at !== undefined) return orderStore.loadAt(id, inCommitForm(at));
      return version === undefined ? orderStore.load(id) : orderStore.loadVersion(id, Number(version));
    };
    return { status: 200, body: await shownTo(caller, await load()) };
  },
);

/** Times are compared as text, so in the one form that commits have; an offset may lead past its last year. */
function inCommitForm(time: string): string {
  const text = new Date(time).toISOString();
  return text.startsWith('+') ? '9999-12-31T23:59:59.999Z' : text;
}
