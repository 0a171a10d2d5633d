import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyJars } from '../../../tools/local/localstack/jars.js';

// printf one | sha256sum
const ONE = '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed';
const LOCK = `# a comment\n${ONE}  one.jar\n`;

describe("DynamoDB Local's jars", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orderly-jars-'));
    writeFileSync(join(folder, 'one.jar'), 'one');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('pass when each has the SHA-256 of the lock', () => {
    expect(() => verifyJars(folder, LOCK)).not.toThrow();
  });

  test('jars are refused if one has other bytes, with the next step', () => {
    writeFileSync(join(folder, 'one.jar'), 'two');
    expect(() => verifyJars(folder, LOCK)).toThrow(/one\.jar has another SHA-256: 3fc4[\s\S]*~\/\.m2/);
  });

  test('jars are refused if one is missing or unknown', () => {
    writeFileSync(join(folder, 'evil.jar'), 'one');
    rmSync(join(folder, 'one.jar'));
    expect(() => verifyJars(folder, LOCK)).toThrow(/evil\.jar is not in the lock\n {2}one\.jar is missing/);
  });
});

describe('the locks of what `npm start` installs', () => {
  const lock = (name: string) =>
    readFileSync(new URL(`../../../tools/local/localstack/${name}`, import.meta.url), 'utf8');

  test('name a SHA-256 for each jar', () => {
    const lines = lock('jars.lock')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
    expect(lines.filter((line) => !/^[0-9a-f]{64} {2}\S+\.(jar|so|dylib|dll)$/.test(line))).toEqual([]);
    expect(lines.some((line) => /DynamoDBLocal-.*\.jar$/.test(line))).toBe(true);
    expect(lines.some((line) => /jetty-xml-.*\.jar$/.test(line))).toBe(true);
  });

  test.each(['requirements.lock', 'sdists.lock'])('%s names a version and a hash for each Python package', (name) => {
    const requirements = lock(name)
      .replace(/^#.*\n/gm, '')
      .replace(/\\\n/g, ' ')
      .trim()
      .split('\n');
    expect(
      requirements.filter((one) => !/^[\w.-]+==\S+( ; \S.*?)?( +--hash=sha256:[0-9a-f]{64})+$/.test(one.trim())),
    ).toEqual([]);
  });
});
