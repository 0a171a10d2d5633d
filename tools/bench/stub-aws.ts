import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the stub has taken: its operation (`TransactWriteItems`), and its body. */
export interface StubRequest {
  readonly operation: string;
  readonly body: { readonly Entries?: readonly unknown[] };
}

/** An endpoint that answers DynamoDB's and EventBridge's operations as if every item was new: all that a measured handler waits for. */
export async function startStub(
  take: (request: StubRequest) => void = () => {},
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as StubRequest['body'];
      take({ operation, body });
      const { Entries = [] } = body;
      const answers: Readonly<Record<string, object>> = {
        Query: { Items: [], Count: 0, ScannedCount: 0 },
        PutEvents: { FailedEntryCount: 0, Entries: Entries.map((_, at) => ({ EventId: String(at) })) },
      };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(answers[operation] ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
