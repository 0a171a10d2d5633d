import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { findForeign } from '@orderly/console';
import { STREAM_OPERATIONS } from '../../packages/simulator/services/dynamodb/administration/operations.js';
import { DynamoDbError } from '../../packages/simulator/services/dynamodb/errors.js';
import { DynamoDbModel, OPERATIONS, type Operation } from '../../packages/simulator/services/dynamodb/model.js';
import type { WireObject } from '../../packages/simulator/services/dynamodb/wire.js';
import { NotModelled } from '../../packages/simulator/wire/operation.js';

const STREAMS = 'DynamoDBStreams_20120810';

export interface Endpoint {
  readonly url: string;
  readonly stop: () => void;
}

/**
 * Starts an HTTP server around an empty model of DynamoDB, on a free port of 127.0.0.1. It checks no signature, and answers no page in a browser. Indexes
 * follow at once, so that a run doesn't depend on luck.
 */
export async function startEndpoint(): Promise<Endpoint> {
  const model = new DynamoDbModel({ now: Date.now, random: Math.random, indexDelay: () => 0 });
  const server: Server = createServer((request, response) => {
    void answer(model, request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

async function answer(model: DynamoDbModel, request: IncomingMessage): Promise<{ status: number; body: object }> {
  const [service, operation = ''] = String(request.headers['x-amz-target']).split('.');
  const ofStreams = Object.hasOwn(STREAM_OPERATIONS, operation);
  const refusal = findForeign(request.headers);
  if (refusal !== undefined) return { status: 403, body: { message: refusal.message } };
  try {
    const input = JSON.parse((await text(request)) || '{}') as WireObject;
    if (!OPERATIONS.some((known) => known === operation) || ofStreams !== (service === STREAMS)) {
      throw new NotModelled(`operation ${operation}`);
    }
    return { status: 200, body: model.call(operation as Operation, input).output };
  } catch (error) {
    if (error instanceof DynamoDbError) return { status: error.status, body: error.body };
    const type = error instanceof NotModelled ? 'UnknownOperationException' : 'InternalServerError';
    const status = error instanceof NotModelled ? 400 : 500;
    return { status, body: { __type: `com.amazon.coral.service#${type}`, message: String(error) } };
  }
}
