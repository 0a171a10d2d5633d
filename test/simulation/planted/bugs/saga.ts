import { bugsIn, type PlantedBug } from '../bug.js';

const orchestrator = bugsIn('packages/kit/saga/orchestrator.ts');
const saga = bugsIn('packages/kit/saga/saga.ts');
const state = bugsIn('packages/kit/saga/state.ts');

export const SAGA: readonly PlantedBug[] = [
  orchestrator('a decision without events is recorded without the version check', 'cancel-races', {
    from: 'return { events, writes: [store.unchangedCheck(loaded)] };',
    to: 'return { events, writes: [] };',
  }),
  orchestrator('the clock is set apart from the commit that needs it', 'place-one', {
    from: '...this.timeoutWrites(id, loaded.state, after, trace),',
    to: `...(await (async () => {
        const { transact } = await import('../aws/dynamodb.js');
        const writes = this.timeoutWrites(id, loaded.state, after, trace);
        if (writes.length > 0) await transact(writes);
        return [];
      })()),`,
  }),
  orchestrator('the clock of a saga that is over is left to ring', 'place-one', {
    from: 'if (before.timers > 0 && (isSet || isOver))',
    to: 'if (before.timers > 0 && isSet)',
  }),
  orchestrator('a stuck saga is counted, and not listed', 'stuck', {
    from: /return \[\{ Put: \{ TableName, Item.*/,
    to: 'return [];',
  }),
  orchestrator('a saga that continues stays in the list of stuck ones', 'stuck', {
    from: '[{ Delete: { TableName, Key } }]',
    to: '[]',
  }),
  saga('an answer is matched by its saga, not by its step', 'answers-late', {
    from: 'if (stepId !== stepIdOf(this.id, step)) return;',
    to: '',
  }),
  saga('an answer to a step is taken for one to its compensation', 'cancel-races', {
    from: 'if (stepId !== compensationIdOf(this.id, step)) return;',
    to: 'if (!stepId.startsWith(stepIdOf(this.id, step))) return;',
  }),
  saga("a step's identity is made of its attempt", 'place-one', {
    from: /stepIdOf\((this\.)?id, step\)/g,
    to: "stepIdOf($1id, step) + (typeof attempt === 'undefined' ? this.state.waiting.attempt : attempt)",
  }),
  saga('a step that is not needed is asked for', 'steps-refused', {
    from: 'at > done && isNeeded(state.data)',
    to: 'at > done',
  }),
  saga('compensations go in the order of the steps', 'cancel-races', {
    from: 'toUndo.findLast(',
    to: 'toUndo.find(',
  }),
  saga('what is sent again is recorded, and not sent', 'answers-late', {
    from: 'if (outgoing) this.commands.push(outgoing);',
    to: 'if (outgoing && attempt === 1) this.commands.push(outgoing);',
  }),
  saga('the clock is set once, and not again when it rang', 'answers-late', {
    from: 'timerAt === undefined || mayBeGone || timerAt <= now || timerAt > waiting.again',
    to: 'timerAt === undefined || timerAt > waiting.again',
  }),
  saga('a ring that is early for the step that is waited for by now sends it again', 'answers-late', {
    from: " && state.status !== 'STUCK' && now >= state.waiting.again;",
    to: " && state.status !== 'STUCK' && now !== '';",
  }),
  saga('a compensation is given up as soon as its step', 'stuck', {
    from: "this.state.status === 'RUNNING' ? this.findStep(step).retryPolicy : this.saga.compensationPolicy",
    to: 'this.findStep(step).retryPolicy',
  }),
  saga('a compensation is given up as a step is, and its saga continues', 'stuck', {
    from: "else this.markStuck(step, 'UNANSWERED');",
    to: 'else this.completeCompensation({ step, at: now });',
  }),
  saga('a refused compensation is taken for done', 'refund-refused', {
    from: "else if (state.status === 'COMPENSATING') this.markStuck(step, reason);",
    to: "else if (state.status === 'COMPENSATING') this.completeCompensation({ step, at: now });",
  }),
  saga('a step is sent again while a backlog explains the silence', 'overload', {
    from: 'const pause = this.computeBacklogPause(state, roundTrip);',
    to: 'const pause = 0 * this.computeBacklogPause(state, roundTrip);',
  }),
  saga('the patience of a step runs while a backlog explains the silence', 'overload', {
    from: 'const pause = this.computeBacklogPause(state, roundTrip);',
    to: `const isPatient = now < addSeconds(since, this.findRetryPolicy(step).timeout);
    const pause = isPatient ? this.computeBacklogPause(state, roundTrip) : 0;`,
  }),
  saga('a timeout ends the pause of a saga that is held for a review', 'user-races', {
    from: "isActive(state) && !isHeld(state) && state.status !== 'STUCK' && now >= state.waiting.again;",
    to: "isActive(state) && state.status !== 'STUCK' && now >= state.waiting.again;",
  }),
  saga('an answer that comes after its compensation was called stuck is ignored', 'stuck', {
    from: "    if (outcome === 'DONE') this.completeCompensation({ step, at: now });",
    to: "    if (outcome === 'DONE' && state.status === 'COMPENSATING') this.completeCompensation({ step, at: now });",
  }),
  state('a step that was sent and not answered is not undone', 'cancel-races', {
    from: /toUndo: \[\.\.\.without\(saga\.toUndo, step\), step\](.*?case 'StepDone':\s*return) saga;/s,
    to: 'toUndo: saga.toUndo$1 { ...saga, toUndo: [...saga.toUndo, event.data.step] };',
  }),
];
