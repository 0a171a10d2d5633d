import { defineProblems } from '@orderly/kit/http';

export const WebhooksProblem = defineProblems({
  'webhook-disabled': { status: 409, title: 'Webhook disabled' },
  'delivery-pending': { status: 409, title: 'Delivery pending' },
});
