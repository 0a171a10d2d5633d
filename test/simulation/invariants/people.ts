import { copiesBesideTables } from '../../support/simulation/copies.js';
import type { Facts } from '../../support/simulation/facts.js';
import type { Call, Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** G8: personal data is nowhere in plain text, and a forgotten person stays forgotten. */
export const people: Check = (facts) => [
  ...plainTextNowhere(facts),
  ...answersAreTrue(facts),
  ...forgottenForEver(facts),
  ...inNoLog(facts),
];

/** Personal fields of a body: an address, and texts of customers or about them. */
const PERSONAL = ['deliverTo', 'clientReference', 'reason', 'note'] as const;
type Personal = { readonly [field in (typeof PERSONAL)[number]]?: unknown };

const personalIn = ({ body }: Call): Personal => (body ?? {}) as Personal;

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(textsIn)
    : value === undefined
      ? []
      : [String(value)];

/** Personal data is in no table at any time, in no queue, batch or log line, and in no event that the bus accepted. */
const plainTextNowhere: Check = ({ orderly, writes }) => {
  const calls = [...orderly.answered, ...orderly.unanswered];
  const values = calls.flatMap((call) =>
    call.path === '/users/me' ? textsIn(call.body) : PERSONAL.flatMap((field) => textsIn(personalIn(call)[field])),
  );
  // A country does not identify a person.
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
      .map((place) => violation('personal data is stored nowhere in plain text', `${secret} in ${place}`)),
  );
};

/** No log contains a customer's id: it would remain after the customer is forgotten. */
const inNoLog: Check = ({ orderly }) => {
  const callers = [...orderly.answered, ...orderly.unanswered].map(({ as }) => as);
  // If a scenario sends the commands itself, the owner of an account made no API call.
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

/**
 * An answer contains the personal data that its own request sent, or marks them as forgotten; it never contains another
 * person's.
 */
const answersAreTrue: Check = ({ orderly }) =>
  orderly.answered.flatMap((call) =>
    (['deliverTo', 'clientReference'] as const).flatMap((field) => {
      const { [field]: sent } = personalIn(call);
      const { [field]: shown, orderId } = call.reply.body;
      if (call.reply.status !== 201 || JSON.stringify(shown) === JSON.stringify(sent)) return [];
      const mayBe = orderly.forgotten.includes(call.as) && JSON.stringify(shown) === '{"forgotten":true}';
      return mayBe
        ? []
        : [
            violation(
              'an order shows the personal data that its customer sent',
              `${field} ${JSON.stringify(shown)}`,
              String(orderId),
            ),
          ];
    }),
  );

/** After a tombstone is in the table, it stays, and its partition contains nothing else. */
const forgottenForEver: Check = (facts) => {
  const { orderly } = facts;
  const items = new Map(orderly.itemsOf(orderly.personalKeys).map((item) => [String(item.pk), item]));
  return orderly.forgotten.flatMap((person) => {
    const pk = `PERSON#${person}`;
    const item = items.get(pk);
    const broken = item?.forgottenAt === undefined || item.wrapped !== undefined || wasBroughtBack(facts, pk);
    return broken ? [violation('a forgotten person has no data key', `${pk} ${Object.keys(item ?? {})}`, person)] : [];
  });
};

/** Whether a function overwrote a tombstone. A user who asks again to be forgotten leaves it as it is. */
const wasBroughtBack = ({ writes }: Facts, pk: string): boolean =>
  writes.some(({ changes }) =>
    changes.some(
      ({ before, after }) =>
        (before as Row | undefined)?.forgottenAt !== undefined &&
        after?.pk === pk &&
        JSON.stringify(after) !== JSON.stringify(before),
    ),
  );
