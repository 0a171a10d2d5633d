import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalCloud } from '@orderly/simulator';
import { localAssembly } from '../assembly.js';
import { dueRecords } from '../awaits.js';
import { makeToken } from '../dev-issuer.js';
import { findPython, installationPlace, installOnce, installWheels, runs } from '../installing.js';
import { runProgram } from './run-program.js';

const USAGE = `Generates clients of the API in Python and Go, with which an order is placed and a refusal is read.
  npm run foreign-clients`;

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const DOCUMENT = fileOf('../../../docs/openapi.json');
const LOCK = fileOf('requirements.lock');
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/** SKU that the orders name. No product has it, so the saga rejects them: here the API's answer counts. */
const SKU = 'TEA-1';

/** A language whose generator and client are tried. */
interface Language {
  readonly name: string;
  /** Returns what is missing on this machine; `undefined` if nothing is. */
  findMissing(): string | undefined;
  /** Generates a client in a folder, and runs the program that uses it. @throws {Error} with its output, if one of them fails */
  play(folder: string, env: Readonly<Record<string, string>>): Promise<void>;
}

const PYTHON: Language = {
  name: 'Python (openapi-python-client)',
  findMissing: () => (findPython() ? undefined : 'Python 3.11 to 3.13 with its venv module (PYTHON names one)'),
  async play(folder, env) {
    const place = installationPlace('openapi-python-client', [LOCK]);
    await installOnce(place, 'openapi-python-client', console.log, () =>
      installWheels(place, findPython() ?? 'python3', LOCK),
    );
    const generator = join(dirname(place.python), 'openapi-python-client');
    const output = join(folder, 'shop_client');
    const log = await runProgram(generator, [
      'generate',
      '--path',
      DOCUMENT,
      '--output-path',
      output,
      '--meta',
      'none',
    ]);
    if (/response will be omitted|can't be merged/.test(log))
      throw new Error(`the generator left answers out:\n${log}`);
    copyFileSync(fileOf('shop.py'), join(folder, 'shop.py'));
    await runProgram(place.python, ['shop.py'], { cwd: folder, env });
  },
};

const GO: Language = {
  name: 'Go (oapi-codegen)',
  findMissing: () => (runs('go', ['version']) ? undefined : 'Go'),
  async play(folder, env) {
    const at = { cwd: folder, env };
    writeFileSync(join(folder, 'go.mod'), 'module shop\n\ngo 1.24\n');
    await runProgram(
      'go',
      ['run', OAPI_CODEGEN, '-generate', 'types,client', '-package', 'main', '-o', 'client.go', DOCUMENT],
      at,
    );
    copyFileSync(fileOf('shop.go.txt'), join(folder, 'shop.go'));
    await runProgram('go', ['mod', 'tidy'], at);
    await runProgram('go', ['run', '.'], at);
  },
};

/**
 * Runs `npm run foreign-clients`: for each language, a generator of its own, from the committed document, against a local cloud. It says of a
 * language that this machine doesn't have what is missing; with `CI` set, that is a failure.
 * @returns 0 if every client worked
 */
export async function main(args: readonly string[], languages: readonly Language[] = [PYTHON, GO]): Promise<number> {
  if (args.length > 0) {
    console.error(USAGE);
    return 2;
  }
  const cloud = await LocalCloud.start({ folder: await localAssembly(), log: () => undefined, nextWorkAt: dueRecords });
  let failed = 0;
  try {
    for (const language of languages) {
      const missing = language.findMissing();
      if (missing !== undefined) {
        console.log(`${language.name}: skipped, since this machine has no ${missing}`);
        if (process.env.CI) failed += 1;
      } else if (!(await works(language, cloud.url))) failed += 1;
    }
  } finally {
    await cloud.stop();
  }
  return failed > 0 ? 1 : 0;
}

async function works({ name, play }: Language, url: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-client-'));
  try {
    await play(folder, { API: `${url}/v1`, TOKEN: makeToken({ sub: 'alice', role: 'customer' }), SKU });
    console.log(`${name}: an order was placed, and a refusal was read`);
    return true;
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
