import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { TABLE, writeAssembly } from '../support/clouds.js';
import { LocalCloud } from './local-cloud.js';
import { LiveServer } from './server.js';

describe('an end that takes longer than two seconds', () => {
  const folder = writeAssembly({ Things: TABLE });
  const kept = join(folder, 'state.json');

  /** Ends a cloud in which one part never ends. @returns whether the end was forced before two seconds, then, and after twenty */
  async function forcedWhile(keep: string | undefined, hangs: 'its port' | 'its threads'): Promise<readonly boolean[]> {
    const one = await LocalCloud.start({ folder, keep, threads: 1, log: () => undefined });
    const stops = hangs === 'its port' ? vi.spyOn(LiveServer.prototype, 'stop') : vi.spyOn(one.live, 'stop');
    const hung = new Promise<void>((resolve) => {
      stops.mockImplementationOnce(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    let isForced = false;
    vi.useFakeTimers({ toFake: ['setInterval'] });
    void one.stop({ force: () => (isForced = true) });
    try {
      await hung;
      return [1_999, 1, 18_000].map((time) => vi.advanceTimersByTime(time) && isForced);
    } finally {
      vi.useRealTimers();
      vi.restoreAllMocks();
      await one.stop();
    }
  }

  test('an end that takes longer than two seconds is forced', async () => {
    expect(await forcedWhile(undefined, 'its port')).toEqual([false, true, true]);
    expect(await forcedWhile(undefined, 'its threads')).toEqual([false, true, true]);
  });

  test('an end with --keep that takes longer than two seconds is forced only when the state is written', async () => {
    expect(await forcedWhile(kept, 'its port')).toEqual([false, false, false]);
    expect(await forcedWhile(kept, 'its threads')).toEqual([false, true, true]);
    expect(existsSync(kept)).toBe(true);
  });
});
