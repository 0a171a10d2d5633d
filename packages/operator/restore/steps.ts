import type { RestoreRecord } from './restore-record.js';

/** Steps of a restore, in their order. All are the command's own but `deploy`. */
export const STEPS = ['stop', 'publish', 'restore', 'copy back', 'deploy', 'start', 'delete copies'] as const;
export type Step = (typeof STEPS)[number];

/** The state of a restore, as AWS shows it. */
export interface RestoreState {
  /** Whether all functions and mappings of the service are off. */
  readonly stopped: boolean;
  /** States of the copies; `undefined` for one that doesn't exist. */
  readonly copies: readonly (string | undefined)[];
  /** Epoch that the functions write, or that the stack names: the lowest one. */
  readonly epoch: number;
}

/** A step, and how far it is. */
export interface StepState {
  readonly step: Step;
  readonly state: 'done' | 'next' | 'later';
}

/** Says of each step whether it is done. After the first one that isn't, none counts. @param record absent before the beginning */
export function listStepStates(record: RestoreRecord | undefined, seen: RestoreState): readonly StepState[] {
  const done: Record<Step, boolean> = {
    stop: record !== undefined && (seen.stopped || record.startingSince !== undefined),
    publish: record?.publishedAt !== undefined,
    restore: record?.copiedAt !== undefined || seen.copies.every((status) => status === 'ACTIVE'),
    'copy back': record?.copiedAt !== undefined,
    deploy: record !== undefined && seen.epoch > record.epoch,
    start: record?.resumedAt !== undefined,
    'delete copies': record?.endedAt !== undefined,
  };
  const next = STEPS.findIndex((step) => !done[step]);
  return STEPS.map((step, at) => ({
    step,
    state: next < 0 || at < next ? 'done' : at === next ? 'next' : 'later',
  }));
}
