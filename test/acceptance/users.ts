import { expect } from 'vitest';
import type { ForgottenView, UserStatus, UserView } from '../../lambdas/users/contract.js';
import { world } from '../support/world.js';
import { line, post } from './orders.js';
import type { ApiAnswer, Caller } from './world.js';

/** Preconditions and waits of scenarios about users. */

export const ADDRESS = { street: '12 St. James Square', city: 'London', postalCode: 'SW1', country: 'GB' } as const;

export const me = (customer: string): Promise<ApiAnswer<UserView>> =>
  world.call({ method: 'GET', path: '/users/me', as: { customer } });

export const user = (userId: string): Promise<ApiAnswer<UserView & Partial<ForgottenView>>> =>
  world.call({ method: 'GET', path: `/users/${userId}`, as: 'operator' });

interface Patching {
  /** @default a new one, unless the request has a session's number */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const patch = (customer: string, body: unknown, { key, headers = {} }: Patching = {}) =>
  world.call<UserView>({
    method: 'PATCH',
    path: '/users/me',
    as: { customer },
    body,
    headers: { 'Content-Type': 'application/merge-patch+json', ...headers },
    ...('Session-Id' in headers ? {} : { key: key ?? world.fresh('key') }),
  });

export const forgetMe = (customer: string, key = world.fresh('key')) =>
  world.call({ method: 'DELETE', path: '/users/me', as: { customer }, key });

export const putStatus = (
  userId: string,
  status: UserStatus,
  more: { readonly reason?: string; readonly headers?: Record<string, string>; readonly as?: Caller } = {},
) => {
  const { reason, headers = {}, as = 'operator' } = more;
  const body = { status, ...(reason === undefined ? {} : { reason }) };
  return world.call<UserView>({ method: 'PUT', path: `/users/${userId}/status`, as, body, headers });
};

/** Sets a status, and waits until the orders service has heard of it. */
export async function judged(userId: string, status: UserStatus): Promise<void> {
  expect(await putStatus(userId, status)).toMatchObject({ status: 200, body: { status } });
  const blocked = status === 'BLOCKED';
  await world.eventually(`orders know that ${userId} is ${status}`, async () => {
    const probe = await post([line(world.fresh('sku'))], { as: { customer: userId } });
    expect(probe.status).toBe(blocked ? 403 : 201);
  });
}

/** A problem's status and type. */
export const problem = (status: number, code: string) => ({
  status,
  body: { type: `urn:orderly:problem:${code}` },
});

/** Sets a status, and waits until its event has gone through the user's orders. */
export async function reviewedAs(userId: string, status: UserStatus): Promise<void> {
  const { version } = (await putStatus(userId, status)).body;
  const [event] = await world.eventually('the change is published', async () => {
    const events = await world.events({ aggregate: 'User', id: userId });
    const own = events.filter(({ sequence }) => sequence === version);
    expect(own).toHaveLength(1);
    return own;
  });
  await world.eventually(`the orders of ${userId} are handled`, async () => {
    for (const consumer of ['orders-users', 'orders-reviews'] as const) {
      expect(await world.readRecord(consumer, event!.id)).toMatchObject({ status: 'PROCESSED' });
    }
  });
}
