import type { StateStore, Stored } from '@orderly/kit/state-store';
import type { UserEvent } from './contract.js';
import { type User, userDecider } from './domain/user.js';

/** A user, as the table stores it. */
export type StoredUser = User &
  Stored & {
    /** Version on which the last change was based. */
    readonly from: number;
  };

export type UserStore = StateStore<StoredUser, UserEvent>;

/** Folds stored events into the fields of the state. */
export const evolveStored = (before: StoredUser | undefined, events: readonly UserEvent[]) => {
  const { version, at: _, from: __, ...user } = before ?? { ...userDecider.initialState, version: 0, at: '', from: 0 };
  return { ...events.reduce<User>(userDecider.evolve, user), from: version };
};
