import {
  HistoryEntryView,
  HistoryQuery,
  Paging,
  PointInTimeQuery,
  pageSchema,
  withDescription,
} from '@orderly/kit/routes';
import * as z from 'zod/mini';
import type { Route } from '../route.js';
import { AccountView, ApplyBonus, SetAccountStatus, SetCreditLimit } from './contract.js';

export const setCreditLimit = {
  method: 'PUT',
  path: '/accounts/{customerId}/credit-limit',
  id: 'setCreditLimit',
  summary: "Set a customer's credit limit",
  description: 'Repeatable by nature. It opens the account of a customer who has none.',
  roles: ['operator'],
  body: SetCreditLimit,
  ifMatch: true,
  answers: { 200: { description: 'The account', body: AccountView } },
  problems: ['not-found', 'account-closed'],
} as const satisfies Route;

export const setAccountStatus = {
  method: 'PUT',
  path: '/accounts/{customerId}/status',
  id: 'setAccountStatus',
  summary: 'Close an account, or open it again',
  description:
    "Repeatable by nature. A CLOSED account takes no further order, credit limit, bonus or payment. What was authorised before is captured, released and refunded as ever. It opens the account of a customer who has none. The reason is shown in the account's history.",
  roles: ['operator'],
  body: SetAccountStatus,
  ifMatch: true,
  answers: { 200: { description: 'The account', body: AccountView } },
  problems: ['not-found'],
} as const satisfies Route;

export const applyBonus = {
  method: 'POST',
  path: '/accounts/{customerId}/bonus',
  id: 'applyBonus',
  summary: 'Give a customer points',
  description: "The reason is shown in the account's history.",
  roles: ['operator'],
  body: ApplyBonus,
  repeat: 'key',
  answers: {
    201: {
      description: 'The account',
      body: AccountView,
      headers: { Location: '`accounts/<customerId>`, relative to the stage.' },
    },
  },
  problems: ['not-found', 'person-forgotten', 'account-closed'],
} as const satisfies Route;

export const getAccount = {
  method: 'GET',
  path: '/accounts/{customerId}',
  id: 'getAccount',
  summary: 'Read an account',
  description: 'Strongly consistent. With `at` or `version`, the account as it was. Customers read their own.',
  roles: ['customer', 'operator'],
  query: PointInTimeQuery,
  answers: { 200: { description: 'The account', body: AccountView } },
  problems: ['not-found'],
} as const satisfies Route;

export const accountHistory = {
  method: 'GET',
  path: '/accounts/{customerId}/history',
  id: 'listAccountHistory',
  summary: "List an account's events",
  description: 'Oldest first, strongly consistent. Customers read their own, and do not see which operator acted.',
  roles: ['customer', 'operator'],
  query: HistoryQuery,
  answers: { 200: { description: 'A page of events', body: pageSchema(HistoryEntryView) } },
  problems: ['not-found'],
} as const satisfies Route;

export const listAccounts = {
  method: 'GET',
  path: '/accounts',
  id: 'listAccountsWithoutCredit',
  summary: 'List accounts without available credit',
  description: 'By customer id; eventually consistent, about a second behind.',
  roles: ['operator'],
  query: z.strictObject({
    ...Paging,
    creditExhausted: withDescription(
      'Always `true`: only these accounts are listed.',
      z.literal('true', 'expected true: only accounts without credit are listed'),
    ),
  }),
  answers: { 200: { description: 'A page of accounts', body: pageSchema(AccountView) } },
} as const satisfies Route;
