import { Refused, toSeconds } from '../../wire/operation.js';

/** Where a user stands. Amazon Cognito, "Signing up and confirming user accounts". */
export type UserStatus = 'UNCONFIRMED' | 'CONFIRMED' | 'FORCE_CHANGE_PASSWORD';

/** A user of a pool. */
export interface User {
  readonly username: string;
  readonly sub: string;
  status: UserStatus;
  enabled: boolean;
  password: string | undefined;
  readonly attributes: Map<string, string>;
  /** Names of its groups. */
  readonly groups: Set<string>;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** A group of users. Amazon Cognito, "Adding groups to a user pool". */
export interface Group {
  readonly GroupName: string;
  readonly Description?: string;
  /** The group with the lowest one decides over the preferred role. */
  readonly Precedence?: number;
  readonly RoleArn?: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** Code by which every user here confirms the account: nobody gets the mail that would have another one. */
export const CONFIRMATION_CODE = '123456';

/** Rules for passwords, as a template has them. */
export interface PasswordPolicy {
  readonly MinimumLength?: number;
  readonly RequireLowercase?: boolean;
  readonly RequireNumbers?: boolean;
  readonly RequireSymbols?: boolean;
  readonly RequireUppercase?: boolean;
}

/** Rules for passwords of a pool that states none. Amazon Cognito, "Adding user pool password requirements". */
const USUAL: PasswordPolicy = {
  MinimumLength: 8,
  RequireLowercase: true,
  RequireNumbers: true,
  RequireSymbols: true,
  RequireUppercase: true,
};

const RULES: readonly (readonly [keyof PasswordPolicy, RegExp, string])[] = [
  ['RequireLowercase', /[a-z]/, 'lowercase characters'],
  ['RequireUppercase', /[A-Z]/, 'uppercase characters'],
  ['RequireNumbers', /\d/, 'numeric characters'],
  ['RequireSymbols', /[\^$*.[\]{}()?"!@#%&/\\,><':;|_~`=+ -]/, 'symbol characters'],
];

/** @throws {Refused} InvalidPasswordException, if the password doesn't follow the rules */
export function checkPassword(password: string, policy: PasswordPolicy = USUAL): void {
  const refuse = (why: string): never => {
    throw new Refused('InvalidPasswordException', `Password did not conform with policy: ${why}`);
  };
  if (password.length < (policy.MinimumLength ?? 8)) refuse('Password not long enough');
  for (const [rule, pattern, what] of RULES)
    if (policy[rule] === true && !pattern.test(password)) refuse(`Password must have ${what}`);
}

/** An attribute as requests and answers have it. */
export interface Attribute {
  readonly Name: string;
  readonly Value?: string;
}

/** Returns the attributes of a user, in the form of an answer. */
export const listAttributes = ({ sub, attributes }: User): readonly Attribute[] => [
  { Name: 'sub', Value: sub },
  ...[...attributes].map(([Name, Value]) => ({ Name, Value })),
];

/** Returns a user in the form of an answer. */
export const describeUser = (user: User) => ({
  Username: user.username,
  Attributes: listAttributes(user),
  UserCreateDate: toSeconds(user.created),
  UserLastModifiedDate: toSeconds(user.created),
  Enabled: user.enabled,
  UserStatus: user.status,
});
