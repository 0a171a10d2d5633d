import type { PlantedBug } from './bugs.js';

/** Mistakes that only a restore shows. A history takes seconds, so `npm run simulate:planted` looks for them, and no test. */
export const RESTORE_BUGS: readonly PlantedBug[] = [
  {
    name: 'what is sent again after a restore has the present epoch',
    scenario: 'restored-users',
    source: {
      file: 'packages/kit/outbox/relay.lambda.ts',
      from: 'for (const entry of busEntries(commitOf(record), sender))',
      to: `const commit = commitOf(record);
        const stamps = globalThis as { present?: number };
        stamps.present = Math.max(stamps.present ?? 0, commit.epoch ?? 0);
        for (const entry of busEntries({ ...commit, epoch: stamps.present }, sender))`,
    },
  },
  {
    name: 'what comes after a restore is parked for ever',
    scenario: 'restored-accounts',
    source: {
      file: 'packages/kit/inbox/sequence-keys.ts',
      from: 'if (place.epoch < cursor.epoch) return false;',
      to: 'if (place.epoch !== cursor.epoch) return false;',
    },
  },
  {
    name: 'points for what a restore has forgotten stay',
    scenario: 'restored-accounts',
    source: {
      file: 'lambdas/rewards/rewards-store.ts',
      from: 'if (after >= loaded.sequence) return loaded;',
      to: 'if (after >= 0) return loaded;',
    },
  },
  {
    name: 'a copy of a user compares versions without their epoch',
    scenario: 'restored-users',
    source: {
      file: 'lambdas/orders/user-copy.ts',
      from: 'ordinalOf(position) > ordinalOf({ epoch: copy.epoch, sequence: copy.version })',
      to: 'version > copy.version',
    },
  },
  {
    name: 'a commit after a restore has no epoch',
    scenario: 'restored-catalog',
    source: {
      file: 'packages/kit/messages/commit.ts',
      from: 'const epoch = Math.max(commit.epoch ?? 0, before);',
      to: 'const epoch = before;',
    },
  },
];
