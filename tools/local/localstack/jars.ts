import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalRunError } from '../errors.js';

/**
 * Compares every file of a folder with a lock in the format of `sha256sum`.
 * @throws {LocalRunError} for a file that is missing, unknown or different; it names each one and the next step
 */
export function verifyJars(folder: string, lock: string): void {
  const expected = new Map(
    lock
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const present = new Map(
    readdirSync(folder).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
  const names = [...new Set([...expected.keys(), ...present.keys()])].sort();
  const faults = names.flatMap((name) => {
    if (!present.has(name)) return [`${name} is missing`];
    if (!expected.has(name)) return [`${name} is not in the lock`];
    return present.get(name) === expected.get(name) ? [] : [`${name} has another SHA-256: ${present.get(name)}`];
  });
  if (faults.length === 0) return;
  throw new LocalRunError(
    `DynamoDB Local is not what tools/local/localstack/jars.lock names, so nothing of it is run:
  ${faults.join('\n  ')}
Remove those files from your Maven repository (~/.m2/repository) and try again. If they come back, your registry serves
other files than the lock was made from: don't use it. If you changed a version, renew the lock
(docs/how-to/change-localstack.md) from ${folder}.`,
  );
}
