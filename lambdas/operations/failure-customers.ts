import { aggregateKey, type Commit, type CustomerSource, commitKey, readCommitsAt } from '@orderly/operator';
import { ordersContract } from '../orders/contract.js';
import { ORDER, ORDER_ID } from '../orders/keys.js';

/** Types of the aggregates that have their customer's id. */
const OF_CUSTOMER: ReadonlySet<string> = new Set(['Account', 'Basket', 'User']);

/**
 * How failures find their customers: an account, a basket and a user have the customer's id; everything else of an order has the
 * order's id, and the order's first event names its customer. A payment without an order names it in its messages.
 */
export const customersOfOrderly: CustomerSource = {
  findBySubjects: async ({ documents, services }, subjects) => {
    const named = subjects.map((subject) => ({
      subject,
      type: subject.slice(0, subject.indexOf('/')),
      id: subject.slice(subject.indexOf('/') + 1),
    }));
    const ofCustomers = named.filter(({ type }) => OF_CUSTOMER.has(type));
    const others = named.filter(({ type, id }) => !OF_CUSTOMER.has(type) && ORDER_ID.test(id));
    const orders = services.find(({ name }) => name === ordersContract.service);
    const keys = [...new Set(others.map(({ id }) => aggregateKey(ORDER, id)))].map((pk) => ({ pk, sk: commitKey(1) }));
    const placed = orders ? (await readCommitsAt({ documents }, orders, keys)).commits : [];
    const byOrder = new Map(placed.map((commit) => [commit.pk, findCustomer(commit)]));
    return new Map([
      ...ofCustomers.map(({ subject, id }) => [subject, id] as const),
      ...others.flatMap(({ subject, id }) => {
        const customer = byOrder.get(aggregateKey(ORDER, id));
        return customer === undefined ? [] : [[subject, customer] as const];
      }),
    ]);
  },
  findInMessage: (data) => readCustomerId(data),
};

/** @param first commit of an order */
const findCustomer = ({ events }: Commit): string | undefined =>
  events.map(({ data }) => readCustomerId(JSON.parse(data))).find((customer) => customer !== undefined);

function readCustomerId(data: unknown): string | undefined {
  const customer = typeof data === 'object' && data !== null ? Reflect.get(data, 'customerId') : undefined;
  return typeof customer === 'string' ? customer : undefined;
}
