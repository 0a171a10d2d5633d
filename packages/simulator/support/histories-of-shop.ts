import type { AppHistories } from '../histories/app-histories.js';
import type { Scenario } from '../search/scenario.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from './clouds.js';

const CONDITION = `ConditionExpression: 'attribute_not_exists(pk)',`;
const SELL = `${CLIENT}
exports.handler = async () => {
  const { status, body } = await call('DynamoDB_20120810.UpdateItem', {
    TableName: 'Shop-Table', Key: { pk: { S: 'ticket' } }, UpdateExpression: 'ADD sold :one', ${CONDITION}
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
  if (status !== 200 && !body.__type.includes('ConditionalCheckFailed')) throw new Error(body.__type);
};`;

/** One ticket is sold by a function, which is called until it has succeeded. */
const scenario: Scenario = {
  name: 'sell-one',
  async play(cloud) {
    let left = 5;
    const sell = (): void =>
      cloud.fn('Shop/Sell').invoke({}, ({ kind }) => {
        left--;
        if (kind !== 'returned' && left > 0) cloud.world.after(20_000, sell);
      });
    sell();
    await cloud.world.settle();
    const [item] = cloud.listItems('Shop/Table');
    const sold = Number(item?.sold);
    return sold === 1 ? [] : [{ invariant: 'a ticket is sold once', detail: `sold ${sold} times`, about: 'ticket' }];
  },
};

const deploy = (code: string) => {
  const resources = {
    Table: TABLE,
    ...functionResource('Sell', [allowStatement(['dynamodb:UpdateItem'], arnOf('Table'))]),
  };
  return createCloud(resources, { Sell: code }).deployment;
};

/** Histories of an app of one function: without its guard, a repeated call sells the ticket again. */
export const histories: AppHistories = {
  scenarios: [{ id: 'sell-one', label: 'Sell a ticket', about: 'A function sells it.', scenario }],
  guards: [
    { id: 'condition', label: 'Condition of the write', file: 'sell.ts', line: 1, promise: 'A ticket is sold once.' },
  ],
  comparisons: [{ id: 'nobody', label: 'Nobody', about: 'No consumer.', play: async () => ({ consumers: [] }) }],
  recorded: `process ${process.pid}`,
  deploy: async (guard) => deploy(guard === undefined ? SELL : SELL.replace(CONDITION, '')),
  replay: ({ faults, guard = 'all guards' }) => `sell ${guard} ${faults.map(({ kind }) => kind).join()}`,
};
