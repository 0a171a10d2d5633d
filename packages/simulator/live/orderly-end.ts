import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds that clients have to end their side of a connection. */
const CLIENT_ENDS_WITHIN = 250;

/**
 * Watches the connections of a server, so that its end reaches the clients before another server takes its port.
 *
 * A client that keeps connections open, such as `fetch`, learns a moment later that one has ended. A request that it sends to the next
 * server within that moment goes over the ended connection, and fails. So this server's end waits until each client has ended its side.
 * @param server that has no connection yet
 * @returns ends the server; a client that doesn't end its side within a quarter of a second is cut off
 */
export function withOrderlyEnd(server: Server): () => Promise<void> {
  const open = new Set<Socket>();
  let allEnded: (() => void) | undefined;
  server.on('connection', (socket: Socket) => {
    if (allEnded) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) allEnded?.();
    });
  });
  return async () => {
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(resolve, CLIENT_ENDS_WITHIN);
      allEnded = () => {
        clearTimeout(deadline);
        resolve();
      };
      if (open.size === 0) allEnded();
      for (const socket of open) socket.end();
    });
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  };
}
