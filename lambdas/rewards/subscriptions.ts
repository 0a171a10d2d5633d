import { subscribeToAll } from '@orderly/kit/messages';
import { accountsContract } from '../accounts/contract.js';

/** All events of accounts: those that give no points take places in the sequence, too. */
export const accountEvents = subscribeToAll(accountsContract);
