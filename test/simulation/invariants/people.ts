import { copiesBesideTables } from '../support/copies.js';
import type { Facts } from '../support/facts.js';
import type { Call, Row } from '../support/orderly.js';
import { type Check, violation } from './violation.js';

/** G8: personal data is in plain text nowhere, and who was forgotten stays so. */
export const people: Check = (facts) => [
  ...plainTextNowhere(facts),
  ...addressesAreTrue(facts),
  ...forgottenForEver(facts),
  ...inNoLog(facts),
];

type Address = Readonly<Record<string, unknown>>;

const addressIn = ({ body }: Call): Address | undefined => (body as { deliverTo?: Address } | undefined)?.deliverTo;

/** In no table, at no time; in no queue, batch or log line, and in nothing that the bus has taken. */
const plainTextNowhere: Check = ({ orderly, writes }) => {
  const calls = [...orderly.answered, ...orderly.unanswered];
  const values = calls.flatMap((call) => Object.values(addressIn(call) ?? {}).map(String));
  // A country is everybody's.
  const secrets = [...new Set(values)].filter((value) => value.length > 2);
  if (secrets.length === 0) return [];
  const tables = [...orderly.services.flatMap(({ table, records }) => [table, records]), orderly.personalKeys];
  const kept = tables.flatMap((table) => orderly.itemsOf(table).map((item) => [table, JSON.stringify(item)] as const));
  const written = writes.map(({ fn, changes }) => [`a write of ${fn}`, JSON.stringify(changes)] as const);
  return secrets.flatMap((secret) =>
    [
      ...[...kept, ...written].filter(([, text]) => text.includes(secret)).map(([place]) => place),
      ...copiesBesideTables(orderly.cloud, secret),
    ]
      .slice(0, 3)
      .map((place) => violation('personal data is in plain text nowhere', `${secret} in ${place}`)),
  );
};

/** No log names a customer: it would outlive their wish to be forgotten. */
const inNoLog: Check = ({ orderly }) => {
  const callers = [...orderly.answered, ...orderly.unanswered].map(({ as }) => as);
  // Whose account there is has called nothing where commands are sent by a scenario's hand.
  const accounts = orderly.services.flatMap(({ table }) =>
    orderly.itemsOf(table).flatMap(({ pk }) => /^Account#(.+)$/.exec(String(pk))?.[1] ?? []),
  );
  const customers = [...new Set([...callers, ...accounts])].filter((id) => id !== 'operator');
  if (customers.length === 0) return [];
  const ids = customers.map((id) => id.replace(/[^\w]/g, '\\$&')).join('|');
  const named = new RegExp(`(?<![\\w-])(?:${ids})(?![\\w-])`);
  return orderly.cloud.log
    .filter(({ text }) => named.test(text))
    .slice(0, 3)
    .map(({ fn, text }) => violation('no log names a customer', `${fn}: ${text}`));
};

/** What a request is answered with is the address that it sent, or says that it is forgotten; nobody else's. */
const addressesAreTrue: Check = ({ orderly }) =>
  orderly.answered.flatMap((call) => {
    const sent = addressIn(call);
    const { deliverTo, orderId } = call.reply.body;
    if (call.reply.status !== 201 || JSON.stringify(deliverTo) === JSON.stringify(sent)) return [];
    const mayBe = orderly.forgotten.includes(call.as) && JSON.stringify(deliverTo) === '{"forgotten":true}';
    return mayBe
      ? []
      : [violation('an order goes where its customer said', JSON.stringify(deliverTo), String(orderId))];
  });

/** Once a tombstone stands in the table, it stays, and nothing stands there beside it. */
const forgottenForEver: Check = (facts) => {
  const { orderly } = facts;
  const items = new Map(orderly.itemsOf(orderly.personalKeys).map((item) => [String(item.pk), item]));
  return orderly.forgotten.flatMap((person) => {
    const pk = `PERSON#${person}`;
    const item = items.get(pk);
    const broken = item?.forgottenAt === undefined || item.wrapped !== undefined || wasBroughtBack(facts, pk);
    return broken
      ? [violation('who was forgotten has no key any more', `${pk} ${Object.keys(item ?? {})}`, person)]
      : [];
  });
};

/** A function wrote over a tombstone. */
const wasBroughtBack = ({ writes }: Facts, pk: string): boolean =>
  writes.some(({ changes }) =>
    changes.some(({ before, after }) => (before as Row | undefined)?.forgottenAt !== undefined && after?.pk === pk),
  );
