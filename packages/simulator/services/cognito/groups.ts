import type { JsonObject } from '../../assembly/intrinsics.js';
import { type Operations, Refused, toSeconds } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { UserPool } from './pool.js';
import { describeUser, type Group, type User } from './users.js';

/** @param given properties of a template, or input of CreateGroup */
export const readGroup = (given: JsonObject | Input, created: number): Group => {
  const { GroupName, Description, Precedence, RoleArn } = given;
  return {
    GroupName: String(GroupName),
    ...(Description !== undefined && { Description: String(Description) }),
    ...(Precedence !== undefined && { Precedence: Number(Precedence) }),
    ...(RoleArn !== undefined && { RoleArn: String(RoleArn) }),
    created,
  };
};

/** Returns the operations on groups. @param poolOf returns the pool of a request. It throws if there is none. */
export function groupOperations(poolOf: (input: Input) => UserPool, now: () => number): Operations {
  /** @throws {Refused} ResourceNotFoundException */
  const groupOf = (input: Input): Group => {
    const group = poolOf(input).groups.get(String(input.GroupName));
    if (!group) throw new Refused('ResourceNotFoundException', 'Group not found.');
    return group;
  };
  const describe = (input: Input, { created, ...group }: Group): object => ({
    ...group,
    UserPoolId: poolOf(input).id,
    CreationDate: toSeconds(created),
    LastModifiedDate: toSeconds(created),
  });
  return {
    CreateGroup: (input) => {
      const { groups } = poolOf(input);
      const group = readGroup(input, now());
      if (groups.has(group.GroupName))
        throw new Refused('GroupExistsException', 'A group with the name already exists.');
      groups.set(group.GroupName, group);
      return { Group: describe(input, group) };
    },
    GetGroup: (input) => ({ Group: describe(input, groupOf(input)) }),
    DeleteGroup: (input) => {
      const { GroupName } = groupOf(input);
      const { groups, users } = poolOf(input);
      groups.delete(GroupName);
      for (const user of users.values()) user.groups.delete(GroupName);
      return {};
    },
    ListGroups: (input) => ({ Groups: [...poolOf(input).groups.values()].map((group) => describe(input, group)) }),
    ListUsersInGroup: (input) => {
      const { GroupName } = groupOf(input);
      const users = [...poolOf(input).users.values()].filter(({ groups }) => groups.has(GroupName));
      return { Users: users.map(describeUser) };
    },
    AdminAddUserToGroup: (input) => {
      const { GroupName } = groupOf(input);
      poolOf(input).userOf(input.Username).groups.add(GroupName);
      return {};
    },
    AdminRemoveUserFromGroup: (input) => {
      const { GroupName } = groupOf(input);
      poolOf(input).userOf(input.Username).groups.delete(GroupName);
      return {};
    },
    AdminListGroupsForUser: (input) => {
      const pool = poolOf(input);
      return { Groups: groupsOf(pool, pool.userOf(input.Username)).map((group) => describe(input, group)) };
    },
  };
}

/** Groups and roles of a user, as functions before a token get them, and may override them. */
export interface GroupConfiguration {
  readonly groupsToOverride?: readonly string[];
  readonly iamRolesToOverride?: readonly string[];
  readonly preferredRole?: string;
}

const groupsOf = ({ groups }: UserPool, user: User): readonly Group[] =>
  [...user.groups].flatMap((name) => groups.get(name) ?? []);

/**
 * Returns the groups of a user with their roles. Amazon Cognito, "Assigning precedence values to groups": the role of the group with the
 * lowest value is preferred, unless another group with the same value has another one.
 */
export function configureGroups(pool: UserPool, user: User): GroupConfiguration {
  const groups = groupsOf(pool, user);
  const withRoles = groups.flatMap(({ RoleArn, Precedence = Number.POSITIVE_INFINITY }) =>
    RoleArn === undefined ? [] : [{ RoleArn, Precedence }],
  );
  const lowest = Math.min(...withRoles.map(({ Precedence }) => Precedence));
  const [preferred, ...others] = new Set(
    withRoles.flatMap(({ RoleArn, Precedence }) => (Precedence === lowest ? [RoleArn] : [])),
  );
  return {
    groupsToOverride: groups.map(({ GroupName }) => GroupName),
    iamRolesToOverride: withRoles.map(({ RoleArn }) => RoleArn),
    ...(preferred !== undefined && others.length === 0 && { preferredRole: preferred }),
  };
}

/** Returns the claims of tokens that tell of groups: those of an access token, and those of an id token, which has roles too. */
export function groupClaims({ groupsToOverride = [], iamRolesToOverride = [], preferredRole }: GroupConfiguration) {
  const access = groupsToOverride.length > 0 ? { 'cognito:groups': groupsToOverride } : {};
  const roles = {
    ...(iamRolesToOverride.length > 0 && { 'cognito:roles': iamRolesToOverride }),
    ...(preferredRole !== undefined && { 'cognito:preferred_role': preferredRole }),
  };
  return { access, id: { ...access, ...roles } };
}
