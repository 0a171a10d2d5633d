import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localCommands } from '../../../tools/operator/local.js';

const OWNERS = {
  owners: [
    { owner: 'Orders/PlaceOrder', type: 'function' },
    { owner: 'Orders/Saga/Queue', type: 'queue' },
  ],
  kinds: { function: ['crashed', 'killed-after'], queue: ['lost', 'twice'], rule: ['lost'] },
};
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(request.url === '/_local/owners' ? JSON.stringify(OWNERS) : '{}');
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const find = localCommands.find(({ name }) => name === 'local fault')?.names?.word;
const names = (url: string | undefined, ...words: readonly string[]) => find?.({ endpoint: { url } } as never, words);
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('local fault completes constructs, and behind one the kinds of faults that can happen to it', async () => {
  expect(await names(url())).toEqual(['Orders/PlaceOrder', 'Orders/Saga/Queue']);
  expect(await names(url(), 'Orders/PlaceOrder')).toEqual(['crashed', 'killed-after']);
  expect(await names(url(), '*')).toEqual(['crashed', 'killed-after', 'lost', 'twice']);
  expect(await names(url(), 'Orders/Nothing')).toEqual([]);
  expect(await names(url(), 'Orders/PlaceOrder', 'crashed')).toEqual([]);
});

test('local fault completes nothing at AWS', async () => expect(await names(undefined)).toEqual([]));
