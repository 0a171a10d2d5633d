import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Operator } from '../../support/simulation/operator.js';
import { type Answered, Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, orderOf, stocked } from './shop.js';

/**
 * Milliseconds from placing to forgetting: placing takes 50; cancelling and reading afterwards take up to 500 after a
 * cold start.
 */
const MOMENTS = [0, 7, 14, 21, 28, 35, 42, 49, 56, 150, 300, 450];

const addressOf = (person: string) => ({
  name: `Name of ${person}`,
  street: `Street of ${person}`,
  city: `City of ${person}`,
  postalCode: `Code of ${person}`,
  country: 'DE',
});

const referenceOf = (person: string) => `Reference of ${person}`;
const reasonOf = (person: string) => `Reason of ${person}`;
/** Returns the personal data that a person sends here, except for their country. */
const saidBy = (person: string): readonly string[] => [addressOf(person).street, referenceOf(person), reasonOf(person)];

/**
 * People who are forgotten at any moment around their first order, which is repeated, cancelled and read meanwhile; and
 * one who isn't forgotten. Afterwards all requests are repeated.
 */
export const forgetRaces: Scenario = {
  name: 'forget-races',
  faultProbability: 0.01,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const operator = new Operator(orderly);
    await stocked(orderly, { 'TEA-1': 100 });
    const people = MOMENTS.map((_, number) => `person-${number}`);
    const first = (person: string) => withAddress(orderOf(person, 'first', ['TEA-1'], 1, referenceOf(person)), person);
    await orderly.call(first('bob'));
    for (const [number, person] of people.entries()) {
      orderly.begin(first(person), ({ reply }) => {
        if (reply.status !== 201) return;
        orderly.begin(cancellationOf(person, reply.body.orderId, 'cancel', reasonOf(person)));
        orderly.begin({ method: 'GET', path: `/orders/${String(reply.body.orderId)}`, as: person });
      });
      world.after(number, () => orderly.begin(first(person)));
      await world.pass(MOMENTS[number] ?? 0);
      await operator.forget(person);
      await orderly.rest();
    }
    const broken = [...brokenPromises(orderly)];
    for (const person of people) broken.push(...(await forgotten(orderly, person, first(person))));
    const again = await orderly.call(first('bob'));
    const path = `/orders/${String(again.reply.body.orderId)}`;
    const order = await orderly.call({ method: 'GET', path, as: 'bob' });
    const history = await orderly.call({ method: 'GET', path: `${path}/history`, as: 'bob' });
    const cancelled = await orderly.call(cancellationOf('bob', again.reply.body.orderId, 'cancel', reasonOf('bob')));
    // An order whose message was lost may have been rejected by its deadline. It can't be cancelled then.
    const tooLate = order.reply.body.status === 'REJECTED' && cancelled.reply.status === 409;
    const seen = [again, order, history, ...(tooLate ? [] : [cancelled])];
    await orderly.rest();
    const listed = await orderly.call({ method: 'GET', path: '/orders', as: 'bob' });
    const shows = ({ reply }: Answered, text: string): boolean => JSON.stringify(reply.body).includes(text);
    broken.push(
      ...[
        ...seen.filter((call) => !shows(call, JSON.stringify(addressOf('bob'))) || !shows(call, referenceOf('bob'))),
        ...[listed].filter((call) => !shows(call, referenceOf('bob')) || !(tooLate || shows(call, reasonOf('bob')))),
      ].map((call) => ({ invariant: 'nobody else is forgotten', detail: told(call), about: 'bob' })),
    );
    await orderly.rest();
    return [...broken, ...brokenPromises(orderly)];
  },
};

const withAddress = (order: ReturnType<typeof orderOf>, person: string) => ({
  ...order,
  body: { ...order.body, deliverTo: addressOf(person) },
});

/**
 * Checks that no answer shows the person's address or any other text of theirs, whatever this person sends or requests
 * now.
 */
async function forgotten(
  orderly: Orderly,
  person: string,
  first: ReturnType<typeof withAddress>,
): Promise<readonly Violation[]> {
  const repeat = await orderly.call(first);
  const another = await orderly.call({ ...first, key: 'another' });
  const path = `/orders/${String(repeat.reply.body.orderId)}`;
  const read = repeat.reply.status === 201 ? [await orderly.call({ method: 'GET', path, as: person })] : [];
  const history =
    repeat.reply.status === 201 ? [await orderly.call({ method: 'GET', path: `${path}/history`, as: 'operator' })] : [];
  // Repeats and first attempts look the same: the reason is deleted, so it doesn't make a request a different one.
  const cancelled =
    repeat.reply.status === 201
      ? [await orderly.call(cancellationOf(person, repeat.reply.body.orderId, 'cancel', reasonOf(person)))]
      : [];
  const list = await orderly.call({ method: 'GET', path: '/orders', as: person });
  return [
    ...[repeat, another, ...read, ...history, ...cancelled, list]
      .filter(({ reply }) => saidBy(person).some((text) => JSON.stringify(reply.body).includes(text)))
      .map((call) => ({
        invariant: "a forgotten person's data is shown to nobody",
        detail: told(call),
        about: person,
      })),
    ...cancelled
      .filter(({ reply }) => reply.status !== 200)
      .map((call) => ({ invariant: 'a forgotten person can cancel', detail: told(call), about: person })),
    ...[another]
      .filter(({ reply }) => !String(reply.body.type).endsWith(':person-forgotten'))
      .map((call) => ({ invariant: "a forgotten person's data is not taken", detail: told(call), about: person })),
  ];
}

const told = ({ method, path, reply }: Answered): string => `${method} ${path} ${JSON.stringify(reply.body)}`;
