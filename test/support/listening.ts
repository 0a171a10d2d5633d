import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Listening {
  readonly program: string;
  readonly port: number;
  readonly loopback: boolean;
}

function programs(): Map<number, { readonly name: string; readonly parent: number }> {
  const found = new Map<number, { name: string; parent: number }>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name = '', parent] = /\((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      found.set(Number(pid), { name, parent: Number(parent) });
    } catch {} // it has ended
  }
  return found;
}

/** Returns the inodes of a process's sockets. A busy process opens and closes some meanwhile: each one is looked at by itself. */
function readSockets(pid: number): readonly string[] {
  const unlessGone = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch {
      return otherwise;
    }
  };
  return unlessGone(() => readdirSync(`/proc/${pid}/fd`), []).flatMap((fd) => {
    const target = unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '');
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
  });
}

/** Lists what a process and its descendants listen on, by proc(5): Linux only. */
export function listeningBelow(root: number): readonly Listening[] {
  const all = programs();
  const isBelow = (pid: number): boolean => pid === root || (all.has(pid) && isBelow(all.get(pid)?.parent ?? 0));
  const owners = new Map<string, string>();
  for (const [pid, { name }] of all) {
    if (!isBelow(pid)) continue;
    for (const inode of readSockets(pid)) owners.set(inode, name);
  }
  return ['/proc/net/tcp', '/proc/net/tcp6'].filter(existsSync).flatMap((table) =>
    readFileSync(table, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local = '', , state, , , , , , inode = '']) => {
        const [address = '', port = ''] = local.split(':');
        const program = owners.get(inode);
        if (state !== '0A' || program === undefined) return []; // 0A: LISTEN
        // 127.0.0.1, ::ffff:127.0.0.1 and ::1, in words of the machine's (little-endian) byte order.
        const loopback = /^(0{16}FFFF0000)?0100007F$|^0{24}01000000$/.test(address);
        return [{ program, port: Number.parseInt(port, 16), loopback }];
      }),
  );
}
