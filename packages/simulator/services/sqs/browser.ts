import type { HttpRequest, HttpResponse } from '../../runtime/http.js';
import { queryOf } from '../../wire/request.js';
import type { Account } from './attributes.js';
import { toReceivedMessage } from './receive.js';

/**
 * Shows the messages of a queue without receiving them: a route of LocalStack, which AWS doesn't have. LocalStack,
 * "SQS: Developer endpoints", `GET /_aws/sqs/messages/<region>/<account>/<queue>?ShowInvisible=true`.
 * @returns `undefined` if the request is for something else
 */
export function browseQueue({ queues, world }: Account, http: HttpRequest): HttpResponse | undefined {
  const [, name] = /^\/_aws\/sqs\/messages\/[^/]+\/\d+\/([^/?]+)/.exec(http.path) ?? [];
  if (name === undefined) return undefined;
  const headers = { 'content-type': 'application/json' };
  const queue = [...queues.values()].find((one) => one.name === decodeURIComponent(name));
  if (!queue) return { status: 404, headers, body: JSON.stringify({ message: `There is no queue ${name}.` }) };
  const all = queryOf(http).get('ShowInvisible') === 'true';
  const shown = queue.listMessages().filter(({ visibleAt }) => all || visibleAt <= world.now);
  const Message = shown.map((message) =>
    toReceivedMessage(message, { AttributeNames: ['All'], MessageAttributeNames: ['All'] }),
  );
  return {
    status: 200,
    headers,
    body: JSON.stringify({ ReceiveMessageResponse: { ReceiveMessageResult: { Message } } }),
  };
}
