import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { unzipSync } from 'fflate';
import { TemplateError } from './intrinsics.js';

/** Folders by their zip files. */
const folders = new Map<string, string>();

/**
 * Unpacks a zip file, as Lambda does with code and layers, into a folder that ends with this process.
 * @returns the folder @throws {TemplateError} if it can't be unpacked
 */
export function unzip(file: string): string {
  const known = folders.get(file);
  if (known !== undefined) return known;
  const entries = Object.entries(readZip(file));
  if (folders.size === 0) process.once('exit', removeAll);
  const folder = mkdtempSync(join(tmpdir(), 'orderly-asset-'));
  folders.set(file, folder);
  for (const [name, bytes] of entries) {
    const path = resolve(folder, name);
    if (name.endsWith('/') || !path.startsWith(folder + sep)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  return folder;
}

function removeAll(): void {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
}

function readZip(file: string): ReturnType<typeof unzipSync> {
  try {
    return unzipSync(readFileSync(file));
  } catch (error) {
    throw new TemplateError(`the asset ${file} can't be unpacked: ${(error as Error).message}`);
  }
}
