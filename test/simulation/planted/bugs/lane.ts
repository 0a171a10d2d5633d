import { bugsIn, type PlantedBug } from '../bug.js';

const entrance = bugsIn('packages/kit/lane/entrance.ts');
const requestItem = bugsIn('packages/kit/lane/request-item.ts');
const round = bugsIn('packages/kit/lane/round.ts');
const writer = bugsIn('packages/kit/lane/writer.ts');

export const LANE: readonly PlantedBug[] = [
  entrance('a request that the lane returned is stored for it again', 'lane-one', {
    from: '!recorded && !returned && !replayed && !tooOld',
    to: '!recorded && !replayed && !tooOld && returned !== undefined',
  }),
  entrance('requests that DynamoDB did not store count as stored', 'lane-one', {
    from: 'if (!left.has(sk)) stored.add(id);',
    to: 'if (left && sk) stored.add(id);',
  }),
  requestItem(
    'a request that is stored for the lane again makes the same item whenever that is, so the stream does not show it',
    'hot-orders:losses',
    {
      from: `    storedIn: now.slice(0, 'yyyy-mm-ddThh'.length),`,
      to: `    storedIn: message.time.slice(0, 'yyyy-mm-ddThh'.length),`,
    },
  ),
  round('the lane decides without the records of its requests', 'lane-one', {
    from: '...parts.flatMap(({ claim, effect }) => [claim, ...effect]),',
    to: '...parts.flatMap(({ effect }) => effect),',
  }),
  round('the lane changes the counter without a condition', 'lane-one', {
    from: "...shared.Update, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }",
    to: '...shared.Update, ConditionExpression: undefined }',
  }),
  round('a request that the lane can not decide takes its round with it', 'lane-one', {
    from: 'duplicates.push(...known.map(',
    to: `if (other.length > 0) throw error;
        duplicates.push(...known.map(`,
  }),
  round('a request that was decided before holds up those behind it', 'lane-one', {
    from: 'const rest = parts.filter((part) => !known.includes(part) && !other.includes(part));',
    to: 'const rest = parts.filter((part) => !other.includes(part));',
  }),
  writer('what the lane can not decide is dropped', 'lane-one', {
    from: 'const returned = await this.returnToQueues(alone);',
    to: 'const returned = alone;',
  }),
  writer('the lane does not report what the queue did not take back', 'lane-one', {
    from: 'return { batchItemFailures: [{ itemIdentifier }] };',
    to: 'return { batchItemFailures: [] };',
  }),
  writer('a lane of several consumers returns a request to all of them', 'account-lane-one', {
    from: '(request) => request.consumer.name === consumer',
    to: '() => consumer.length > 0',
  }),
];
