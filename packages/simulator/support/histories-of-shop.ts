import type { AppHistories } from '../histories/app-histories.js';
import type { Scenario } from '../search/scenario.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from './clouds.js';

const CONDITION = `ConditionExpression: 'attribute_not_exists(pk)',`;
const SELL = `${CLIENT}
exports.handler = async (ticket) => {
  const { status, body } = await call('DynamoDB_20120810.UpdateItem', {
    TableName: 'Shop-Table', Key: { pk: { S: ticket } }, UpdateExpression: 'ADD sold :one', ${CONDITION}
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
  if (status !== 200 && !body.__type.includes('ConditionalCheckFailed')) throw new Error(body.__type);
};`;

/** Tickets are sold one after the other, by a function that is called until it has succeeded. @param count of tickets */
const selling = (name: string, count: number): Scenario => ({
  name,
  async play(cloud) {
    const sell = (number: number, left: number): void =>
      cloud.fn('Shop/Sell').invoke(`ticket ${number}`, ({ kind }) => {
        if (kind !== 'returned' && left > 0) cloud.world.after(20_000, () => sell(number, left - 1));
        else if (number < count) sell(number + 1, ATTEMPTS);
      });
    sell(1, ATTEMPTS);
    await cloud.world.settle();
    const items = cloud.listItems('Shop/Table');
    return items
      .filter(({ sold }) => Number(sold) !== 1)
      .map(({ pk, sold }) => ({ invariant: 'a ticket is sold once', detail: `sold ${sold} times`, about: String(pk) }));
  },
});
const ATTEMPTS = 5;

const deploy = (code: string) => {
  const resources = {
    Table: TABLE,
    ...functionResource('Sell', [allowStatement(['dynamodb:UpdateItem'], arnOf('Table'))]),
  };
  return createCloud(resources, { Sell: code }).deployment;
};

/** Histories of an app of one function: without its guard, a repeated call sells the ticket again. */
export const histories: AppHistories = {
  scenarios: [
    { id: 'sell-one', label: 'Sell a ticket', about: 'A function sells it.', scenario: selling('sell-one', 1) },
    // Thousands of histories: nobody waits for their end.
    { id: 'sell-many', label: 'Sell tickets', about: 'A function sells them.', scenario: selling('sell-many', 300) },
  ],
  guards: [
    { id: 'condition', label: 'Condition of the write', file: 'sell.ts', line: 1, promise: 'A ticket is sold once.' },
  ],
  comparisons: [{ id: 'nobody', label: 'Nobody', about: 'No consumer.', play: async () => ({ consumers: [] }) }],
  recorded: `process ${process.pid}`,
  deploy: async (guard) => deploy(guard === undefined ? SELL : SELL.replace(CONDITION, '')),
  replay: ({ faults, guard = 'all guards' }) => `sell ${guard} ${faults.map(({ kind }) => kind).join()}`,
};
