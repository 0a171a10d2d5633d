import { existsSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { listeningBelow } from '../support/listening.js';

const { endpoint, proxyUrl } = inject('deployed');
const startedHere = proxyUrl !== undefined;

test.skipIf(!startedHere || !existsSync('/proc/net/tcp'))(
  'LocalStack, its DynamoDB Local and the functions listen on the loopback interface only (seen on Linux)',
  () => {
    const listening = listeningBelow(process.ppid); // vitest's main process, which started them
    expect(listening.map(({ port }) => port)).toContain(Number(new URL(endpoint ?? '').port));
    expect(listening.map(({ program }) => program)).toContain('java');
    expect(listening.filter(({ loopback }) => !loopback)).toEqual([]);
  },
);
