import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Names of a Chromium, and of what is built from it, in the folders of PATH. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of a browser of this machine; undefined if there is none. `ORDERLY_CHROMIUM` names another one. */
export const browserPath: string | undefined =
  process.env.ORDERLY_CHROMIUM ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

/** What is to be done where no browser is. */
export const NO_BROWSER = 'no Chromium in PATH: apt-get install -y chromium';

/**
 * Starts the browser of this machine. It has no sandbox of its own where it runs as root, which it refuses otherwise, and it shares memory
 * by files in the temporary folder: in a container, /dev/shm is often too small for it.
 * @throws {Error} if there is none
 */
export function startBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error(NO_BROWSER);
  const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: browserPath, args });
}
