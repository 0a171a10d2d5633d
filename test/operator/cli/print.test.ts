import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('a text whose reader ends early is no error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-print-'));
  const module = join(process.cwd(), 'packages/operator/cli/print.ts');
  // More than a pipe holds.
  writeFileSync(
    join(folder, 'prints.ts'),
    `import { print } from ${JSON.stringify(module)};
print('row\\n'.repeat(500_000));`,
  );
  const shell = `set -o pipefail; '${process.execPath}' --import tsx '${join(folder, 'prints.ts')}' | head -1`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', shell], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'row\n', stderr: '' });
});
