import { describe, expect, test } from 'vitest';
import {
  createWebhookSecret,
  NotSignable,
  signWebhook,
  verifyWebhook,
  WebhookRejected,
} from '../../../packages/kit/webhooks/signature.js';

/** Vector of the specification's own libraries: `libraries/javascript/src/webhook.test.ts`, "sign function works". */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const { secret, message } = VECTOR;
const NOW = message.timestamp;

test('signs as the specification does', () => {
  expect(signWebhook(message, [secret])).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': VECTOR.signature,
  });
});

test('a new secret has 32 random bytes, and signs', () => {
  const one = createWebhookSecret();
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(createWebhookSecret()).not.toBe(one);
  expect(verifyWebhook({ headers: signWebhook(message, [one]), body: message.body }, [one], NOW).id).toBe(message.id);
});

test('a message of a rotation has two signatures, and is accepted by either secret', () => {
  const newer = createWebhookSecret();
  const headers = signWebhook(message, [newer, secret]);
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
  for (const known of [newer, secret])
    expect(verifyWebhook({ headers, body: message.body }, [known], NOW)).toEqual({ id: message.id, timestamp: NOW });
});

test.each([
  ['no secret', [], message],
  ['a secret of another form', ['secret'], message],
  ['a secret that is too short', ['whsec_c2hvcnQ='], message],
  ['an id with a full stop', [secret], { ...message, id: 'shop.legacy' }],
])('nothing is signed with %s', (_, secrets, unsignable) =>
  expect(() => signWebhook(unsignable, secrets)).toThrow(NotSignable),
);

describe('a request is rejected', () => {
  const headers = signWebhook(message, [secret]);
  const received = { headers, body: message.body };
  test.each([
    ['with another body', { ...received, body: '{"test":2432232314}' }, [secret], NOW],
    ['with another id', { ...received, headers: { ...headers, 'webhook-id': 'msg_other' } }, [secret], NOW],
    [
      'with another time',
      { ...received, headers: { ...headers, 'webhook-timestamp': String(NOW + 1) } },
      [secret],
      NOW,
    ],
    ['by another secret', received, [createWebhookSecret()], NOW],
    ['more than five minutes late', received, [secret], NOW + 301],
    ['more than five minutes early', received, [secret], NOW - 301],
    ['without a signature', { ...received, headers: { ...headers, 'webhook-signature': undefined } }, [secret], NOW],
    ['with a cut signature', { ...received, headers: { ...headers, 'webhook-signature': 'v1,' } }, [secret], NOW],
    [
      'with a signature of another scheme',
      { ...received, headers: { ...headers, 'webhook-signature': VECTOR.signature.replace('v1', 'v2') } },
      [secret],
      NOW,
    ],
    [
      'with a time that is no number',
      { ...received, headers: { ...headers, 'webhook-timestamp': 'now' } },
      [secret],
      NOW,
    ],
    ['with two ids', { ...received, headers: { ...headers, 'webhook-id': [message.id, 'b'] } }, [secret], NOW],
  ])('%s', (_, request, secrets, now) => expect(() => verifyWebhook(request, secrets, now)).toThrow(WebhookRejected));
});
