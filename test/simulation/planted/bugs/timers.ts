import { bugsIn, type PlantedBug } from '../bug.js';

const timerDispatcher = bugsIn('packages/kit/timers/timer-dispatcher.ts');

export const TIMERS: readonly PlantedBug[] = [
  timerDispatcher('a timer that the queue refuses for a moment is given up', 'answers-late', {
    from: 'if (SenderFault && pk !== undefined)',
    to: 'if (pk !== undefined)',
  }),
];
