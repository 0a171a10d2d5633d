import { expect, test } from 'vitest';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { serveConsole } from '../../../packages/operator/console/serve-console.js';

const contextOf = (say: (text: string) => void): CommandContext =>
  ({
    app: 'bookings',
    environment: 'prod',
    command: commandFormatter('npx bookings'),
    clock: { now: () => '2026-11-29T12:00:00.000Z' },
    runLine: async () => 0,
    say,
  }) as unknown as CommandContext;

test('the page is served until Ctrl-C, and its address is said first', async () => {
  let address = '';
  const served = serveConsole(
    contextOf((text) => {
      address = /http:\S+/.exec(text)?.[0] ?? '';
      // Two listeners of the signal are there by then: the next turn is after them.
      setImmediate(() => process.emit('SIGINT'));
    }),
    { port: 0 },
    [],
  );
  const outcome = await served;
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
  expect(outcome).toMatchObject({ exitCode: 0, json: { console: { ended: true } } });
  await expect(fetch(address)).rejects.toThrow();
});

test('a port that is in use is refused with what to do', async () => {
  const { createServer } = await import('node:http');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  await expect(
    serveConsole(
      contextOf(() => undefined),
      { port },
      [],
    ),
  ).rejects.toMatchObject({
    message: `Port ${port} of 127.0.0.1 is in use.`,
    next: 'choose another one with --port, or leave it out',
  });
  other.close();
});
