import { Problem } from '@orderly/kit/http';
import type { DeepReadonly } from '@orderly/kit/routes';
import { answerCommand, functionContext } from '@orderly/operator';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { ADVICE } from './advice.js';
import type { OrdersPageView } from './contract.js';
import { listOrders } from './list-orders.js';
import { WrongOrdersQuery } from './orders-request.js';
import { getOrders } from './routes.js';

const open = functionContext(ADVICE);
/** The bound of an answer: about 100,000 orders, and 6,000 read units. The command line has a wider one. */
const CALLS = 100;
/** Orders of a page, as in every list of the API. */
const DEFAULT_LIMIT = '20';

/** GET /operations/orders: the orders of a time, by whatever an operator knows of them. */
export const handler = endpoint(getOrders, async ({ query: { synthetic, ...query } }) => {
  const asked = { ...query, limit: query.limit ?? DEFAULT_LIMIT, synthetic: synthetic !== undefined };
  try {
    return await answerCommand<DeepReadonly<z.infer<typeof OrdersPageView>>>(
      listOrders(await open(), asked, { calls: CALLS }),
    );
  } catch (error) {
    if (!(error instanceof WrongOrdersQuery)) throw error;
    const { parameter, detail } = error;
    throw new Problem('invalid-request', error.message, { errors: [{ parameter, detail }] }, { cause: error });
  }
});
