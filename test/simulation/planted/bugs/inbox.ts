import { bugsIn, type PlantedBug } from '../bug.js';

const batchRunner = bugsIn('packages/kit/inbox/batch-runner.ts');
const collectedMessages = bugsIn('packages/kit/inbox/collected-messages.ts');
const sequenceKeys = bugsIn('packages/kit/inbox/sequence-keys.ts');
const sequencedMessages = bugsIn('packages/kit/inbox/sequenced-messages.ts');
const sequentialRunner = bugsIn('packages/kit/inbox/sequential-runner.ts');
const claimedMessage = bugsIn('packages/kit/inbox/claimed-message.ts');
const storedMessages = bugsIn('packages/kit/inbox/stored-messages.ts');
const work = bugsIn('packages/kit/inbox/work.ts');
const exampleCollected = bugsIn('test/kit/inbox/example.collected.ts');
const exampleCollecting = bugsIn('test/kit/inbox/example.collecting.ts');
const exampleCollector = bugsIn('test/kit/inbox/example.collector.ts');

export const INBOX: readonly PlantedBug[] = [
  batchRunner('a page of a day is resumed one late', 'daily-reports', {
    from: 'let page = window.done + 1; page <= pages',
    to: 'let page = window.done + (window.done > 0 ? 2 : 1); page <= pages',
  }),
  batchRunner('a window is resumed one page late', 'inbox-batch', {
    from: 'let page = window.done + 1;',
    to: 'let page = window.done + (window.done > 0 ? 2 : 1);',
  }),
  batchRunner('the final status of messages is not in the transaction of their page', 'inbox-batch', {
    from: '      ...writes,\n',
    to: '',
  }),
  batchRunner('a window is closed twice, since its effect commits before its final status', 'inbox-batch', {
    from: "window, pages }, 'close'), work);\n",
    to: `window, pages }, 'close'), work);
      if ('decide' in handling) {
        await work.save({}, await handling.decide());
        return { handling: { decide: async () => [] }, writes: [], claim: () => this.messages.processedWrite(held, this.expiry()) };
      }
`,
  }),
  collectedMessages('a late event names the day in which it is counted', 'daily-reports', {
    from: '{ lateFrom: own }',
    to: '{ lateFrom: window }',
  }),
  collectedMessages('a day with one event does not count in the numbers', 'daily-reports', {
    from: "ExpressionAttributeValues: { ':next': next, ':number': number, ':window': window.id },",
    to: "ExpressionAttributeValues: { ':next': next, ':number': window.size !== 1 ? number : closed, ':window': window.id },",
  }),
  collectedMessages('a day closes at its end, without its time of grace', 'daily-reports', {
    from: 'addSeconds(windows.endOf(window), graceSeconds)',
    to: 'addSeconds(windows.endOf(window), 0 * graceSeconds)',
  }),
  collectedMessages('a message that is late is not told so', 'inbox-batch', {
    from: '...(window === own ? {} : { lateFrom: own })',
    to: '',
  }),
  collectedMessages('a page is done again whose progress was not written with its effect', 'inbox-batch', {
    from: 'set: { done: page, attempts: 1,',
    to: 'set: { attempts: 1,',
  }),
  collectedMessages('a window closes although a message got its place since its size was read', 'inbox-batch', {
    from: `          condition: \`\${held.condition} AND #size = :size AND attribute_not_exists(closedAt)\`,
          names: { ...held.names, '#size': 'size' },
          values: { ...held.values, ':size': window.size },`,
    to: `          condition: \`\${held.condition} AND attribute_not_exists(closedAt)\`,
          names: held.names,
          values: held.values,`,
  }),
  sequenceKeys('what comes after a restore is parked for ever', 'restored-accounts', {
    from: 'if (place.epoch < cursor.epoch) return false;',
    to: 'if (place.epoch !== cursor.epoch) return false;',
  }),
  sequencedMessages('a parked message is not pending any more', 'inbox-sequential', {
    from: 'set: { parkedAt,',
    to: "set: { status: 'PARKED', parkedAt,",
  }),
  sequentialRunner('a message that failed for good is passed over', 'rewards-held-back', {
    from: "if (awaited?.status === 'DISCARDED' && isNext(toPlace(awaited), cursor)) {",
    to: "if (awaited?.status !== undefined && awaited.status !== 'PENDING' && isNext(toPlace(awaited), cursor)) {",
  }),
  sequentialRunner('the cursor moves before the effect', 'inbox-sequential', {
    from: 'this.messages.cursorWrite(envelope, before),',
    to: '...(await this.messages.pass(envelope, before).then(() => [])),',
  }),
  sequentialRunner('the cursor moves after the effect', 'inbox-sequential', {
    from: /return super\.commit\(envelope, claimed, async[\s\S]*?\]\);/,
    to: 'return super.commit(envelope, claimed, decide).then(async (done) => { await this.messages.pass(envelope, before); return done; });',
  }),
  sequentialRunner('an early message is taken for the next one', 'inbox-sequential', {
    from: 'if (isNext(place, cursor)) break;',
    to: 'if (isNext(place, cursor) || place.sequence === cursor.sequence + 2) break;',
  }),
  sequentialRunner('a failed message is passed over', 'inbox-sequential', {
    from: "awaited?.status === 'DISCARDED' &&",
    to: "(awaited?.status === 'DISCARDED' || awaited?.status === 'FAILED') &&",
  }),
  storedMessages('a redriven message of an inbox keeps its attempts', 'rewards-held-back', {
    from: 'const { pk, fence: _, ...fields } = this.buildItem(message, payload);',
    to: 'const { pk, fence: _, attempts: __, ...fields } = this.buildItem(message, payload);',
  }),
  storedMessages('a redriven message of an inbox stays in the list of failures', 'rewards-held-back', {
    from: /remove: \[\n *'failedConsumer',/,
    to: 'remove: [',
  }),
  claimedMessage('the writes of a runner do not check its fencing token', 'inbox-frozen', {
    from: "condition: '#status = :pending AND fence = :fence'",
    to: "condition: '#status = :pending AND fence >= :fence'",
  }),
  storedMessages('a message that is not handed out by the stream is found by nobody', 'inbox-single', {
    from: '...this.dueAttributes(this.keyOf(message), addSeconds(now, GRACE_SECONDS)),',
    to: '',
  }),
  storedMessages('a message that is put off is handed out by its queue alone', 'inbox-single', {
    from: "      remove: ['runner'],\n",
    to: "      remove: ['runner', 'duePk'],\n",
  }),
  work('progress is saved after its writes, in another transaction', 'inbox-single', {
    from: 'await transact([saving, ...writes]);',
    to: 'if (writes.length > 0) await transact(writes);\n          await transact([saving]);',
  }),
  work('a lease is not renewed', 'inbox-single', {
    from: `    this.scheduleRenewal();
  }

  get attempt`,
    to: '  }\n\n  get attempt',
  }),
  work('an idempotency key is of the attempt, not of the message', 'inbox-collecting', {
    from: 'JSON.stringify([this.claimed.messageId, call])',
    to: 'JSON.stringify([this.claimed.fence, this.claimed.messageId, call])',
  }),
  exampleCollected('each attempt calls the other system with a key of its own', 'inbox-collecting', {
    from: "work.idempotencyKey('label')",
    to: "work.idempotencyKey(['label', work.attempt].join())",
  }),
  exampleCollecting('a part that comes again begins the work again', 'inbox-collecting', {
    from: '    if (hasBegun) return [];\n',
    to: '',
  }),
  exampleCollecting('the work begins with the part that completes it, and without the others', 'inbox-collecting', {
    from: '(PARTS.every((name) => name in known) ? [begins(known)] : [])',
    to: '(PARTS.every((name) => name in known) ? [begins({ [part]: content })] : [])',
  }),
  exampleCollector('nobody waits for an end of the waiting', 'inbox-collecting', {
    from: 'return [write, timers.set({ ...timeout, executeAt: in30Minutes(), trace })];',
    to: 'return timeout ? [write] : [timers.set({ ...timeout, executeAt: in30Minutes(), trace })];',
  }),
];
