import type { Table } from '@orderly/kit/aws';
import { on, type Source } from '@orderly/kit/idempotent-consumer';
import { userChanges } from './subscriptions.js';
import { addressEffect } from './user-address.js';
import { statusEffect } from './user-status.js';

/** Keeps copies of users' statuses and sealed addresses. The address of a forgotten user is deleted. */
export const onUserChange = (table: Table): Source =>
  on(userChanges, {
    UserStatusChanged: ({ event: { data }, envelope }) => ({
      decide: () => statusEffect(table, data.userId, data.newStatus, envelope),
    }),
    UserProfileChanged: ({ event: { data }, envelope }) => ({
      decide: () => addressEffect(table, data.userId, data.address, envelope),
    }),
    UserForgotten: ({ event: { data }, envelope }) => ({
      decide: () => addressEffect(table, data.userId, undefined, envelope),
    }),
  });
