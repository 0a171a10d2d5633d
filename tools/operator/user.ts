import { userInfo } from 'node:os';

/** Who sits here, as this machine knows them; the account's trail knows the rest. */
export function user(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a container without a user list
  }
}
