/** Versions in a conflict: the one that the change was decided on, and the current one. */
export interface Versions {
  readonly expectedVersion: number;
  readonly foundVersion: number;
}

/** Error for a write that lost against another writer. Nothing was written; a retry may succeed. */
export class WriteConflict extends Error {
  override readonly name: string = 'WriteConflict';
  /** Absent if the versions are not known. */
  readonly versions?: Versions;
}

/** Error for a throttled read or write. Callers retry it like a conflict. */
export class Throttled extends WriteConflict {
  override readonly name = 'Throttled';
}
