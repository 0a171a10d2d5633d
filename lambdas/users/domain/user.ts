import type { Decider } from '@orderly/kit/decider';
import type { Sealed } from '@orderly/kit/messages';
import type { UserEvent, UserStatus } from '../contract.js';

/** Sealed fields of a profile. */
export interface SealedProfile {
  readonly name?: Sealed;
  readonly email?: Sealed;
  readonly address?: Sealed;
}

/** A user. One who never wrote anything and whom no operator judged is ACTIVE, with an empty profile. */
export type User = {
  readonly status: UserStatus;
  /** Present if the user has asked to be forgotten. Then nothing of the profile is left. */
  readonly forgotten?: true;
} & SealedProfile;

export type UserCommand = { readonly userId: string } & (
  | { readonly type: 'SetProfile'; readonly profile: SealedProfile }
  | { readonly type: 'SetStatus'; readonly status: UserStatus; readonly sealedReason?: Sealed }
  | { readonly type: 'Forget' }
);

/** A command that a business rule forbids. */
export class UserRefused extends Error {
  override readonly name = 'UserRefused';
  constructor(readonly code: 'FORGOTTEN') {
    super(code);
  }
}

export const initialState: User = { status: 'ACTIVE' };

/**
 * Returns the events that follow from a command; none if nothing changes. Whether a profile changes is decided before it
 * is sealed, because two seals of the same text differ.
 * @throws {UserRefused} if a forgotten user sets a profile
 */
function decide(user: User, { userId, ...command }: UserCommand): readonly UserEvent[] {
  switch (command.type) {
    case 'SetProfile':
      if (user.forgotten) throw new UserRefused('FORGOTTEN');
      return [{ type: 'UserProfileChanged', data: { userId, ...command.profile } }];
    case 'SetStatus': {
      if (user.status === command.status) return [];
      const { status: newStatus, sealedReason } = command;
      const reason = sealedReason ? { sealedReason } : {};
      return [{ type: 'UserStatusChanged', data: { userId, oldStatus: user.status, newStatus, ...reason } }];
    }
    case 'Forget':
      return user.forgotten ? [] : [{ type: 'UserForgotten', data: { userId } }];
  }
}

/** Folds an event into a state. It is total: it accepts any event in any state. */
export function evolve({ status, forgotten, ...profile }: User, event: UserEvent): User {
  const kept = { status, ...(forgotten ? { forgotten } : {}) };
  switch (event.type) {
    case 'UserProfileChanged': {
      const { userId: _, ...changed } = event.data;
      return { ...kept, ...changed };
    }
    case 'UserStatusChanged':
      return { ...kept, ...profile, status: event.data.newStatus };
    case 'UserForgotten':
      return { status, forgotten: true };
  }
}

/** Rules of a user. */
export const userDecider: Decider<User, UserCommand, UserEvent> = { initialState, evolve, decide, stateSchema: 1 };

/** Returns the sealed fields of a user's profile. */
export const selectSealedFields = ({ name, email, address }: User): SealedProfile => ({
  ...(name ? { name } : {}),
  ...(email ? { email } : {}),
  ...(address ? { address } : {}),
});
