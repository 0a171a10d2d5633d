import { usersContract } from './contract.js';
import { USER } from './keys.js';

/** Users, state-stored; the id is the `sub` of their token. */
export const users = { aggregate: USER, contract: usersContract };
