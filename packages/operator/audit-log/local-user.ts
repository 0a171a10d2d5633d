import { userInfo } from 'node:os';

/** Returns the operator's name on this machine; the account's audit trail (CloudTrail) has the rest. */
export function localUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a container without a user list
  }
}
