import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { confirmDevOnAws } from '../../tools/local/confirm.js';

const asking = async (args: readonly string[], answer?: string) => {
  const said: string[] = [];
  const ask = answer === undefined ? undefined : async () => answer;
  await confirmDevOnAws(args, (text) => said.push(text), ask);
  return said.join('\n');
};

describe("'dev' in an account", () => {
  test('explains what it exposes, and continues after a confirmation', async () => {
    for (const said of [await asking(['--yes']), await asking([], 'dev'), await asking([], ' dev ')])
      expect(said).toMatch(/internet reaches it[\s\S]*no firewall[\s\S]*DEBUG[\s\S]*12 hours[\s\S]*dev-key\.json/);
  });

  test.each(['', 'y', 'yes', 'prod'])('an environment is not deployed after the answer %j', async (answer) => {
    await expect(asking([], answer)).rejects.toThrow('Nothing was deployed.');
  });

  test('asks before anything starts, and refuses without a terminal', () => {
    const nowhere = {
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/run.mjs', 'start'], {
      env: { PATH: process.env.PATH, ...nowhere, ORDERLY_ENDPOINT: 'aws' },
      encoding: 'utf8',
      input: '',
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('npm start -- --yes') });
    expect(stdout).toContain('internet reaches it');
    expect(stdout).not.toContain('synthesize');
  });
});
