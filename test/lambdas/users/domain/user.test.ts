import { describe, expect, test } from 'vitest';
import type { UserEvent } from '../../../../lambdas/users/contract.js';
import { initialState, selectSealedFields, type User, userDecider } from '../../../../lambdas/users/domain/user.js';
import { given } from '../../../../packages/kit/testing/given.js';

const user = given(userDecider);
const userId = 'alice';
const sealed = (text: string) => ({ sealed: text });
const profiled = (fields: object): UserEvent => ({ type: 'UserProfileChanged', data: { userId, ...fields } });
const judged = (oldStatus: User['status'], newStatus: User['status']): UserEvent => ({
  type: 'UserStatusChanged',
  data: { userId, oldStatus, newStatus },
});
const forgotten: UserEvent = { type: 'UserForgotten', data: { userId } };

describe('a user', () => {
  test('a user has the profile that was set last, as a whole', () => {
    user([profiled({ name: sealed('Ada'), email: sealed('mail') })])
      .when({ type: 'SetProfile', userId, profile: { name: sealed('Bob') } })
      .then([profiled({ name: sealed('Bob') })]);
    const state = [profiled({ name: sealed('Ada'), email: sealed('mail') }), profiled({ name: sealed('Bob') })].reduce(
      userDecider.evolve,
      initialState,
    );
    expect(state).toEqual({ status: 'ACTIVE', name: sealed('Bob') });
    expect(selectSealedFields(state)).toEqual({ name: sealed('Bob') });
  });

  test('a user has a status that no profile changes; the event has the old one and the new one', () => {
    user([judged('ACTIVE', 'SUSPECT'), profiled({ name: sealed('Ada') })])
      .when({ type: 'SetStatus', userId, status: 'BLOCKED', sealedReason: sealed('why') })
      .then([
        {
          type: 'UserStatusChanged',
          data: { userId, oldStatus: 'SUSPECT', newStatus: 'BLOCKED', sealedReason: sealed('why') },
        },
      ]);
  });

  test('a user who has the status already is not changed', () => {
    user([]).when({ type: 'SetStatus', userId, status: 'ACTIVE' }).then([]);
    user([judged('ACTIVE', 'BLOCKED')])
      .when({ type: 'SetStatus', userId, status: 'BLOCKED', sealedReason: sealed('again') })
      .then([]);
  });

  test('a user is forgotten once: the profile goes, the status stays and may change', () => {
    const events = [profiled({ name: sealed('Ada') }), judged('ACTIVE', 'BLOCKED'), forgotten];
    user(events.slice(0, 2)).when({ type: 'Forget', userId }).then([forgotten]);
    user(events).when({ type: 'Forget', userId }).then([]);
    user(events)
      .when({ type: 'SetStatus', userId, status: 'ACTIVE' })
      .then([judged('BLOCKED', 'ACTIVE')]);
    expect(events.reduce(userDecider.evolve, initialState)).toEqual({ status: 'BLOCKED', forgotten: true });
    user(events).when({ type: 'SetProfile', userId, profile: {} }).thenRefused('FORGOTTEN');
  });
});
