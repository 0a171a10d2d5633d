/** Pattern of the kit whose mutants are drawn together. */
export interface Pattern {
  readonly name: string;
  /** Folders and files of its sources, below `packages/kit/`. Constructs and public modules are left out. */
  readonly sources: readonly string[];
  /** Folders and files of the tests that run for its mutants, below `test/kit/`. */
  readonly tests: readonly string[];
}

/** The patterns. A mutant that their own tests leave alive is not run against those of other patterns. */
export const PATTERNS: readonly Pattern[] = [
  { name: 'event store', sources: ['event-store', 'decider'], tests: ['event-store', 'testing'] },
  { name: 'idempotent receiver', sources: ['idempotent-receiver'], tests: ['idempotent-receiver'] },
  { name: 'idempotent consumer', sources: ['idempotent-consumer'], tests: ['idempotent-consumer'] },
  {
    name: 'inbox, each message alone',
    sources: ['runner', 'runner-base', 'claimed-message', 'stored-messages', 'work', 'receiver', 'backoff'].map(
      (name) => `inbox/${name}.ts`,
    ),
    // The runner of an inbox in order extends the runner of single messages.
    tests: ['inbox/single', 'inbox/compressed', 'inbox/sequential'],
  },
  {
    name: 'inbox in order',
    sources: ['sequential-runner', 'sequenced-messages', 'sequence-keys'].map((name) => `inbox/${name}.ts`),
    tests: ['inbox/sequential', 'inbox/restored-publisher'],
  },
  {
    name: 'inbox in batches',
    sources: ['batch-runner', 'batch-source', 'collected-messages', 'windows', 'window-keys', 'window-retry'].map(
      (name) => `inbox/${name}.ts`,
    ),
    tests: ['inbox/batch', 'inbox/windows'],
  },
  { name: 'outbox', sources: ['outbox'], tests: ['outbox', 'traces'] },
  { name: 'saga', sources: ['saga'], tests: ['saga'] },
  { name: 'timers', sources: ['timers'], tests: ['timers', 'inbox/single'] },
  { name: 'projection', sources: ['projection'], tests: ['projection'] },
  { name: 'failures and drains', sources: ['failures', 'drains'], tests: ['failures'] },
];
