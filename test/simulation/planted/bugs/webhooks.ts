import { bugsIn } from '../bug.js';

const inDelivery = bugsIn('lambdas/webhooks/deliver.ts');
const inFanOut = bugsIn('lambdas/webhooks/on-order-event.ts');
const inSignature = bugsIn('packages/kit/webhooks/signature.ts');

const inForgetting = bugsIn('lambdas/webhooks/on-user-event.ts');
const inRegistration = bugsIn('lambdas/webhooks/register-webhook.lambda.ts');
const inList = bugsIn('lambdas/webhooks/disable-webhook.ts');

/** Bugs of webhooks. They need an environment that has them, so `webhooks.test.ts` looks for each, in a history without faults. */
export const WEBHOOKS = [
  inSignature('a signature leaves the time out', 'webhooks-delivered', {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the source.
    from: 'update(`${id}.${timestamp}.${body}`)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the source.
    to: 'update(`${id}.${body}`)',
  }),
  inDelivery('a retry of a delivery has an id of its own', 'webhooks-delivered', {
    from: 'const { messageId: id, payload: body } = row;',
    to: 'const { payload: body } = row;\n    const id = row.attempts.length > 0 ? row.messageId + "-again" : row.messageId;',
  }),
  inDelivery('a delivery counts as delivered before its receiver has answered', 'webhooks-delivered', {
    from: 'const result = await send({ id, url, body, secrets });',
    to: 'await send({ id, url, body, secrets });\n    const result = { kind: "answered", status: 200 };',
  }),
  inForgetting("a forgotten shop's webhooks keep their keys", 'webhooks-forgotten', {
    from: "          erasure(webhookId, 'customer'),\n",
    to: '',
  }),
  inRegistration('a forgotten shop registers a webhook', 'webhooks-forgotten', {
    from: '[notForgottenCheck(table, customerId)]',
    to: '[]',
  }),
  inList('a disabled webhook stays active in the list of subscribers', 'webhook-one', {
    from: '[subscriberWrite(table, stored)]',
    to: '[]',
  }),
  inFanOut('deliveries in order take the way of those without', 'webhooks-delivered', {
    from: 'const { write } = inOrder\n',
    to: 'const { write } = !inOrder && inOrder\n',
  }),
];

/** A bug that one crash shows, and no history without faults. */
export const LATE_METRIC = [
  inDelivery('a disabled webhook is counted behind its commit', 'webhook-one', {
    from: 'import { clock, countImmediately,',
    to: 'import { clock, count as countImmediately,',
  }),
] as const;
