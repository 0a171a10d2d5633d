import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A public app that is played: its code is elsewhere, and its assembly in a folder of this machine. */
export interface Stranger {
  /** Folder with `app.json`, `cdk.out` and a file of requests. */
  readonly folder: string;
  readonly app: StrangersApp;
  /** File of requests or steps; an app that doesn't start needs none. */
  readonly requests: string | undefined;
}

/** Content of `app.json`: where an app comes from, and what was made of its findings. */
export interface StrangersApp {
  readonly name: string;
  /** Address of the repository, with the folder in it. */
  readonly source: string;
  readonly commit: string;
  readonly licence: string;
  /** What it does, in a few words. */
  readonly does: string;
  /** False for an app that the review's sample of 45 apps with Node functions doesn't have. */
  readonly sample?: false;
  /** Folders of its code that get packages of their own: they go with the code of functions, or have other versions. */
  readonly install?: readonly string[];
  /** Command that compiles its functions before `cdk synth`, as its README says. */
  readonly build?: readonly string[];
  /** Why it doesn't start, where its obstacles don't say so. */
  readonly why?: string;
  /** Variables that its `cdk synth` needs. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Verdicts about kinds of faults, by reading the app's code and AWS's documents: `true: ...`, or `false: ...`. Of one construct:
   * `refused at Orders/Place`.
   */
  readonly verdicts?: Readonly<Record<string, string>>;
}

/** A folder of apps that can't be read: what is missing, and where. */
export class StrangersUnreadable extends Error {
  override readonly name = 'StrangersUnreadable';
}

const REQUESTS = /^requests\.(http|rest|har|json)$/;

/**
 * Reads the apps of a folder, each in a folder of its own.
 * @throws {StrangersUnreadable}
 */
export function readStrangers(folder: string): readonly Stranger[] {
  const strangers = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'app.json')))
    .map(({ name }) => readStranger(join(folder, name)));
  if (strangers.length > 0) return strangers.toSorted((one, other) => one.app.name.localeCompare(other.app.name));
  throw new StrangersUnreadable(
    `${folder} has no folder with an app.json; each app has app.json, cdk.out (by its own cdk synth) and requests.http or requests.json`,
  );
}

function readStranger(folder: string): Stranger {
  const app = JSON.parse(readFileSync(join(folder, 'app.json'), 'utf8')) as Partial<StrangersApp>;
  const missing = (['name', 'source', 'commit', 'licence', 'does'] as const).filter((name) => app[name] === undefined);
  if (missing.length > 0) throw new StrangersUnreadable(`${folder}/app.json lacks ${missing.join(', ')}`);
  const requests = readdirSync(folder).find((name) => REQUESTS.test(name));
  if (!existsSync(join(folder, 'cdk.out', 'manifest.json')))
    throw new StrangersUnreadable(
      `${folder} has no cdk.out: npm run strangers -- prepare, or npx cdk synth --output ${folder}/cdk.out in the app's clone`,
    );
  return { folder, app: app as StrangersApp, requests: requests && join(folder, requests) };
}
