import { type EventOf, Sealed } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import { DeliveryAddress, Text } from '../orders/contract.js';

/** Id of a user: the `sub` of their token. */
export const UserId = z.string().check(z.minLength(1), z.maxLength(128));

/**
 * Status of a user, set by an operator. A BLOCKED user places no orders. The orders of a SUSPECT user are reviewed before
 * they are charged.
 */
export const UserStatus = z.enum(['ACTIVE', 'SUSPECT', 'BLOCKED']);
export type UserStatus = z.infer<typeof UserStatus>;

const Name = Text.check(z.minLength(1), z.maxLength(100));
/**
 * Form of an e-mail address. What is accepted of new ones is stricter, and may change: `findCodeRefusal`. RFC 5321 limits an
 * address to 254 characters.
 */
const EmailAddress = z.string().check(
  z.refine((address) => /^[^\s@]+@[^\s@]+$/.test(address), 'expected an e-mail address'),
  z.maxLength(254),
);
/** Fields of an address. `name` is the recipient, if it is not the user. */
const AddressFields = DeliveryAddress.shape;

/** Profile of a user. All of it is personal data, so it is stored and published sealed only. */
export const Profile = z.strictObject({
  name: z.exactOptional(Name),
  email: z.exactOptional(EmailAddress),
  address: z.exactOptional(z.strictObject({ ...AddressFields, name: z.exactOptional(Name) })),
});
export type Profile = z.infer<typeof Profile>;

/** A member of a merge patch: a new value, or `null`, which removes the old one. */
const patched = <T>(schema: z.ZodMiniType<T>) => z.exactOptional(z.nullable(schema));

/**
 * Body of `PATCH /users/me`: a JSON merge patch (RFC 7396) of the profile. An address is patched by its members, so a
 * part of one is accepted here; the whole profile after the patch has to fit {@link Profile}.
 */
export const ProfilePatch = z.strictObject({
  name: patched(Name),
  email: patched(EmailAddress),
  address: patched(
    z.strictObject({
      name: patched(AddressFields.name),
      street: patched(AddressFields.street),
      city: patched(AddressFields.city),
      postalCode: patched(AddressFields.postalCode),
      country: patched(AddressFields.country),
    }),
  ),
});
export type ProfilePatch = z.infer<typeof ProfilePatch>;

/** Body of `PUT /users/{userId}/status`. */
export const SetStatus = z.strictObject({
  status: UserStatus,
  /** Why the operator changes it. Text about a person is personal data, so it is sealed. */
  reason: z.exactOptional(Text.check(z.minLength(1), z.maxLength(200))),
});
export type SetStatus = z.infer<typeof SetStatus>;

/** Events that the users service publishes; `subject` is `User/<userId>`. */
export const usersContract = {
  service: 'users',
  person: 'userId',
  aggregatesOfPeople: ['User'],
  events: {
    /** The whole profile after the change. An absent field is empty. */
    UserProfileChanged: {
      version: 1,
      data: z.object({
        userId: UserId,
        name: z.exactOptional(Sealed),
        email: z.exactOptional(Sealed),
        address: z.exactOptional(Sealed),
      }),
      personal: { name: 'userId', email: 'userId', address: 'userId' },
    },
    /** A service that keeps its own copy of the status applies the newest event, in whichever order they arrive. */
    UserStatusChanged: {
      version: 1,
      data: z.object({
        userId: UserId,
        oldStatus: UserStatus,
        newStatus: UserStatus,
        sealedReason: z.exactOptional(Sealed),
      }),
      personal: { sealedReason: 'userId' },
      shownAs: { sealedReason: 'reason' },
    },
    /**
     * The user's data key was deleted. Services delete data about the user that is not sealed with it. The status stays,
     * because it protects others.
     */
    UserForgotten: { version: 1, data: z.object({ userId: UserId }) },
  },
} as const;
export type UserEvent = EventOf<typeof usersContract>;

/** Profile as answers show it. */
const ProfileView = {
  name: z.exactOptional(z.string()),
  email: z.exactOptional(z.string()),
  address: z.exactOptional(
    z.object({
      name: z.exactOptional(withDescription('The recipient, if it is not the user.', z.string())),
      street: z.string(),
      city: z.string(),
      postalCode: withDescription('Empty for countries without postal codes.', z.string()),
      country: withDescription('ISO 3166-1 alpha-2 code.', z.string()),
    }),
  ),
};

/** A user as answers show it. */
export const UserView = z.object({
  userId: z.string(),
  status: UserStatus,
  ...ProfileView,
  version: withDescription('Number of events so far; 0 if nothing was ever written.', z.int()),
});
export type UserView = DeepReadonly<z.infer<typeof UserView>>;

/** A forgotten user. Operators see the status, which stays in force; users see nothing else about themselves. */
export const ForgottenUserView = z.object({
  forgotten: z.literal(true),
  userId: z.exactOptional(z.string()),
  status: z.exactOptional(UserStatus),
  version: z.exactOptional(z.int()),
});
export type ForgottenView = DeepReadonly<z.infer<typeof ForgottenUserView>>;
