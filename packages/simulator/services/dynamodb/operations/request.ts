/** Reads requests: which members an operation takes, and which constraints they satisfy. */

import { NotModelled } from '../../../wire/operation.js';
import { constraintsViolated, serialization } from '../errors.js';
import type { WireObject } from '../wire.js';
import { anything, toMessageName, violation } from './constraints.js';
import { translateLegacy } from './legacy.js';
import type { Shape } from './shape.js';

/**
 * Checks a request, and translates its legacy parameters into expressions.
 * @param path of the request in a batch or a transaction, in messages
 * @throws {DynamoDbError} ValidationException that names everything that is wrong, but only the table's name if that is
 * @throws {NotModelled} if it contains a member that this model would ignore
 */
export function readRequest(input: WireObject, shape: Shape, path = ''): WireObject {
  let valid = true;
  for (const member in input) {
    const value = input[member];
    if (value === undefined) continue;
    if (value === null) return readRequest(withoutNulls(input), shape, path);
    const constraint = shape.members.get(member);
    if (!constraint) throw new NotModelled(`request member ${member}`);
    if (constraint !== anything && constraint(value, member)) valid = false;
  }
  for (const member of shape.required) if (input[member] === undefined) valid = false;
  if (!valid) throw validationError(input, shape, path);
  return shape.legacy.some((member) => input[member] !== undefined) ? translateLegacy(input, shape) : input;
}

/** A member that is null is absent, as for AWS. */
const withoutNulls = (input: WireObject): WireObject =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

function validationError(input: WireObject, { required, members }: Shape, path: string): Error {
  const all = [...members].map(([member, constraint]) => {
    const at = path + toMessageName(member);
    if (input[member] !== undefined) return { member, found: constraint(input[member], at) ?? [] };
    return { member, found: required.includes(member) ? violation(undefined, at, 'Member must not be null') : [] };
  });
  const ofName = all.find(({ member, found }) => member === 'TableName' && found.length > 0);
  return constraintsViolated(ofName ? ofName.found : all.flatMap(({ found }) => found));
}

export function textMember(input: WireObject, member: string): string | undefined {
  const given = input[member];
  if (given === undefined || typeof given === 'string') return given;
  throw serialization('Unexpected value type in payload');
}
