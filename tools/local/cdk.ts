import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atExit } from './at-exit.js';
import { type Endpoint, endpointEnvironment } from './endpoint.js';
import { LocalRunError } from './errors.js';

const CDK = fileURLToPath(new URL('../../node_modules/aws-cdk/bin/cdk', import.meta.url));
/** Module that ends a child process with this one. */
export const END_WITH_PARENT = new URL('end-with-parent.mjs', import.meta.url).href;
/** Options of every CDK call. */
const CDK_OPTIONS = ['--no-notices', '--no-version-reporting', '--no-color'] as const;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs the project's own CDK command line against an endpoint.
 * @param onLine receives each line of its output
 * @param more environment variables
 * @returns its standard output
 * @throws {LocalRunError} with the end of its output, if it fails
 */
export function cdk(
  endpoint: Endpoint,
  args: readonly string[],
  onLine: (line: string) => void = () => {},
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', END_WITH_PARENT, CDK, ...args, ...CDK_OPTIONS], {
      cwd: ROOT,
      env: { ...endpointEnvironment(endpoint), NODE_NO_WARNINGS: '1', CDK_DISABLE_CLI_TELEMETRY: 'true', ...more },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const forget = atExit(() => child.kill());
    let said = '';
    let out = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-20_000);
        if (stream === child.stdout) out += text;
        for (const line of text.split('\n')) if (line.trim()) onLine(line);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      forget();
      if (code === 0) resolve(out);
      else reject(new LocalRunError(`cdk ${args[0]} failed:\n${said.trimEnd().split('\n').slice(-40).join('\n')}`));
    });
  });
}
