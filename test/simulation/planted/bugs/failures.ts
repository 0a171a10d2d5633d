import { bugsIn, type PlantedBug } from '../bug.js';

const failureKinds = bugsIn('packages/kit/failures/failure-kinds.ts');
const failureRecords = bugsIn('packages/kit/failures/failure-records.ts');
const stepFailures = bugsIn('packages/kit/failures/step-failures.ts');

export const FAILURES: readonly PlantedBug[] = [
  failureKinds('a type or a version of a newer release fails at once', 'poison', {
    from: 'return !NEWER.has(error.code);',
    to: 'return true;',
  }),
  failureRecords('failure records expire as processed ones do', 'redrive-weeks-later', {
    from: "status: 'FAILED',",
    to: "status: 'FAILED', expiresAt: Math.floor(Date.parse(at) / 1000) + 35 * 86_400,",
  }),
  failureRecords('what is sent again and fails again is drained without a word', 'consumer-fails-26-hours', {
    from: 'await this.addFailureReason(key, error);',
    to: '',
    only: /drain-dead-letters$/,
  }),
  stepFailures('each command of a step that fails is a failure of its own', 'stuck', {
    from: "first?.status === 'FAILED' && seen",
    to: "first?.status === 'PENDING' && seen",
  }),
  stepFailures("a step's failure is a repeat of one that an operator has ended", 'participant-fails-26-hours', {
    from: "first?.status === 'FAILED' && seen",
    to: 'first !== undefined && seen',
  }),
];
