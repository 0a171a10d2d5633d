import { NotModelled, Refused } from '../../wire/operation.js';
import type { User } from './users.js';

/** Attributes by which AWS filters users. Amazon Cognito user pools API Reference, "ListUsers", `Filter`. */
const FILTERED: Readonly<Record<string, (user: User) => string | undefined>> = {
  username: ({ username }) => username,
  sub: ({ sub }) => sub,
  status: ({ enabled }) => (enabled ? 'Enabled' : 'Disabled'),
  'cognito:user_status': ({ status }) => status,
};
const OF_ATTRIBUTES = ['email', 'family_name', 'given_name', 'name', 'phone_number', 'preferred_username'];

const FORM = /^\s*"?([\w:]+)"?\s*(\^?=)\s*"((?:[^"\\]|\\.)*)"\s*$/;

/**
 * Reads a filter of ListUsers: `email = "a@b.example"`, `name ^= "Al"`.
 * @returns a function that tells whether it lets a user through
 * @throws {Refused} InvalidParameterException
 */
export function readUserFilter(filter: unknown): (user: User) => boolean {
  if (filter === undefined || filter === '') return () => true;
  const [, name = '', operator, text = ''] = FORM.exec(String(filter)) ?? [];
  if (operator === undefined) throw new Refused('InvalidParameterException', 'Error while parsing filter.');
  const isAttribute = OF_ATTRIBUTES.includes(name);
  if (!isAttribute && !Object.hasOwn(FILTERED, name)) throw new NotModelled(`ListUsers with a Filter by ${name}`);
  const value = text.replace(/\\(.)/g, '$1');
  return (user) => {
    const found = isAttribute ? user.attributes.get(name) : FILTERED[name]?.(user);
    return operator === '=' ? found === value : found?.startsWith(value) === true;
  };
}
