import { Paging } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import type { Route } from '../route.js';
import { RewardsView } from './contract.js';

const RewardsQuery = z.strictObject(Paging);

export const getMyRewards = {
  method: 'GET',
  path: '/rewards/me',
  id: 'getMyRewards',
  summary: "Read the caller's points and tier",
  description: 'With the entries that led to them, newest first; eventually consistent, about a second behind.',
  roles: ['customer'],
  query: RewardsQuery,
  answers: { 200: { description: 'The rewards', body: RewardsView } },
} as const satisfies Route;

export const getRewards = {
  method: 'GET',
  path: '/rewards/{customerId}',
  id: 'getRewards',
  summary: "Read a customer's points and tier",
  description: 'With the entries that led to them, newest first; eventually consistent, about a second behind.',
  roles: ['operator'],
  query: RewardsQuery,
  answers: { 200: { description: 'The rewards', body: RewardsView } },
} as const satisfies Route;
