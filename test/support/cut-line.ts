import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a server of this machine that can be cut and mended: what a browser sees of a restart or of a lost network. */
export class CutLine {
  private readonly sockets = new Set<Socket>();
  private server: Server;
  private at = 0;

  private constructor(private readonly port: number) {
    this.server = this.newServer();
  }

  /** @param url of the server */
  static async to(url: string): Promise<CutLine> {
    const line = new CutLine(Number(new URL(url).port));
    await line.mend();
    return line;
  }

  /** Address of the line, which stays the same. */
  get url(): string {
    return `http://127.0.0.1:${this.at}`;
  }

  /** Ends every connection, and takes no new one. */
  cut(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  async mend(): Promise<void> {
    this.server = this.newServer();
    this.server.listen(this.at, '127.0.0.1');
    await once(this.server, 'listening');
    this.at = (this.server.address() as AddressInfo).port;
  }

  private newServer(): Server {
    return createServer((socket) => {
      const far = connect(this.port, '127.0.0.1');
      for (const one of [socket, far]) {
        this.sockets.add(one);
        // The other end learns of it by the close that follows.
        one.on('error', () => undefined);
        one.on('close', () => this.sockets.delete(one));
      }
      socket.on('close', () => far.destroy());
      far.on('close', () => socket.destroy());
      socket.pipe(far).pipe(socket);
    });
  }
}
