import { OpenedSession, SessionView } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import type { Route } from '../route.js';
import { ForgottenUserView, ProfilePatch, SetStatus, UserView } from './contract.js';

const SomeUser = z.union([UserView, ForgottenUserView]);

export const getMe = {
  method: 'GET',
  path: '/users/me',
  id: 'getMe',
  summary: 'Read the caller',
  description: 'Strongly consistent. A customer who never wrote anything is ACTIVE, at version 0.',
  roles: ['customer'],
  answers: { 200: { description: 'The user', body: SomeUser } },
} as const satisfies Route;

export const patchMe = {
  method: 'PATCH',
  path: '/users/me',
  id: 'patchMe',
  summary: "Patch the caller's profile",
  description:
    'A JSON merge patch (RFC 7396): it sets, merges and removes (null) members. The whole address has to be complete after the patch.',
  roles: ['customer'],
  body: ProfilePatch,
  bodyTypes: ['application/merge-patch+json'],
  repeat: 'key or number',
  ifMatch: true,
  answers: { 200: { description: 'The user', body: SomeUser } },
  problems: ['person-forgotten'],
} as const satisfies Route;

export const forgetMe = {
  method: 'DELETE',
  path: '/users/me',
  id: 'forgetMe',
  summary: 'Forget the caller for ever',
  description:
    'Deletes the key of all their personal data (crypto-shredding). It cannot be undone. No request that begins after the answer shows or stores personal data of the caller.',
  roles: ['customer'],
  repeat: 'key or number',
  answers: { 204: { description: 'The caller is forgotten' } },
} as const satisfies Route;

export const getUser = {
  method: 'GET',
  path: '/users/{userId}',
  id: 'getUser',
  summary: 'Read a user',
  description: 'Strongly consistent. A user who never wrote anything is ACTIVE, at version 0.',
  roles: ['operator'],
  answers: { 200: { description: 'The user', body: SomeUser } },
} as const satisfies Route;

export const setStatus = {
  method: 'PUT',
  path: '/users/{userId}/status',
  id: 'setUserStatus',
  summary: "Set a user's status",
  description:
    'Repeatable by nature. A BLOCKED user places no orders. The orders of a SUSPECT user are reviewed before they are charged.',
  roles: ['operator'],
  body: SetStatus,
  ifMatch: true,
  answers: { 200: { description: 'The user', body: SomeUser } },
} as const satisfies Route;

export const openSession = {
  method: 'POST',
  path: '/users/sessions',
  id: 'openUsersSession',
  summary: 'Open a session for numbered requests to users',
  description: 'Each call opens a new session.',
  answers: { 201: { description: 'The session', body: OpenedSession } },
} as const satisfies Route;

export const getSession = {
  method: 'GET',
  path: '/users/sessions/{sessionId}',
  id: 'getUsersSession',
  summary: 'Read when a session at users was last accessed',
  description:
    'For its client only; strongly consistent. To read it is no access. A session that has ended is shown for 35 days, with `expiresAt` in the past.',
  answers: { 200: { description: 'The session', body: SessionView } },
  problems: ['not-found'],
} as const satisfies Route;
