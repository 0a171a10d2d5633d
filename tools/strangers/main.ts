import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkAssembly, type Finding, searchRequests } from '../../packages/simulator/index.js';
import { type PlayedStranger, renderStrangers } from './page.js';
import { prepareStrangers } from './prepare.js';
import { readStrangers, type Stranger, StrangersUnreadable } from './stranger.js';

const USAGE = `npm run strangers -- prepare <clones> <folder> [name]...
  makes that folder from clones of the apps' repositories: code, packages and assemblies of tools/strangers/apps
npm run strangers -- <folder> [--minutes <number>]
  plays public CDK apps in the simulator, and writes packages/simulator/docs/strangers.md
  <folder>    has a folder for each app: app.json, cdk.out (by its own cdk synth), and requests.http or requests.json;
              prepare makes it
  --minutes   the longest search of an app (2)`;

const PAGE = fileURLToPath(new URL('../../packages/simulator/docs/strangers.md', import.meta.url));

/** Runs `npm run strangers`. @returns 2 for a wrong call */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { minutes: { type: 'string', default: '2' } },
      allowPositionals: true,
    });
    const [folder, clones, made, ...names] = positionals;
    if (folder === 'prepare' && clones !== undefined && made !== undefined)
      return prepareStrangers(clones, made, names).length === 0 ? 0 : 1;
    const minutes = Number(values.minutes);
    if (folder === undefined || !(minutes > 0)) throw new StrangersUnreadable(USAGE);
    const played: PlayedStranger[] = [];
    for (const stranger of readStrangers(folder)) {
      const one = await play(stranger, minutes);
      played.push(one);
      console.log(
        `${stranger.app.name}: ${one.obstacles.length} obstacles, ${one.histories} histories, ${one.findings.length} findings`,
      );
    }
    writeFileSync(PAGE, renderStrangers(played, new Date(), minutes));
    return 0;
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    if (!(error instanceof StrangersUnreadable) && code === undefined) throw error;
    console.error(message);
    return 2;
  }
}

/** Plays an app with each single fault, as long as nothing stands in its way. */
async function play({ folder, app, requests }: Stranger, minutes: number): Promise<PlayedStranger> {
  const assembly = join(folder, 'cdk.out');
  const obstacles = checkAssembly(assembly).map(({ type, what }) => `${type}: ${what}`);
  let histories = 0;
  let findings: readonly Finding[] = [];
  let refusal: string | undefined;
  if (obstacles.length === 0) {
    try {
      if (requests === undefined) throw new StrangersUnreadable(`${folder} has no requests.http, .har or .json`);
      ({ histories, findings } = await searchRequests(assembly, requests, { for: minutes * 60_000 }));
    } catch (error) {
      refusal = (error as Error).message;
    }
  }
  return { app, obstacles: [...new Set(obstacles)], histories, findings, ...(refusal !== undefined && { refusal }) };
}
