import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { otherNode } from '../../test/support/local/other-node.js';
import { table } from '../cost/tables.js';
import { type StubRequest, startStub } from './stub-aws.js';
import { findSubjects, RECORDS, type Subject, sdkAlone } from './subjects.js';

// npm run bench:cold | bench:warm | bench:relay: CPU of a function as it is deployed, beside the same of a saga on Powertools, and beside
// its own requests sent by the SDK alone, in the same run on the Node that AWS runs. They take turns, so that what else the machine does
// meets all; only the ratio counts.

const CHILD = fileURLToPath(new URL('cpu-child.cjs', import.meta.url));
/** Measurements of each subject, of which the median is shown. */
const ROUNDS = 15;
/** Calls before the first measurement, and of each measurement, of a function that is warm. */
const WARMING = { 'place-order': 250, relay: 30 };
const CALLS = { 'place-order': 40, relay: 5 };

type Kind = 'cold' | 'warm' | 'relay';

/** Runs one of the benches. @param args its name: cold, warm or relay */
export async function main(args: readonly string[] = []): Promise<number> {
  const [kind] = args as readonly Kind[];
  if (kind === undefined || !['cold', 'warm', 'relay'].includes(kind)) {
    console.error('npm run bench:cold | bench:warm | bench:relay');
    return 2;
  }
  const node = await otherNode(24);
  if ('missing' in node) {
    console.error(node.missing);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), 'orderly-cpu-'));
  let taken: StubRequest[] | undefined = [];
  const { url, server } = await startStub((request) => taken?.push(request));
  try {
    const what = kind === 'relay' ? 'relay' : 'place-order';
    const run = (subject: Subject) => start(node.program, subject, url);
    const [own, rival] = await findSubjects(what, folder);
    const first = run(own);
    await calls(first, 1);
    first.kill();
    const subjects = [own, rival, sdkAlone(own, taken, folder)];
    taken = undefined;
    const measured = kind === 'cold' ? await cold(subjects, run) : await warm(subjects, run, what);
    print(kind, subjects, measured);
    return 0;
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures fresh processes, from their start to the end of their first call. @returns microseconds of each subject */
async function cold(subjects: readonly Subject[], run: (subject: Subject) => ChildProcess) {
  const measured: number[][] = subjects.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, subject] of inTurns(subjects, round)) {
      const child = run(subject);
      measured[at]?.push(await calls(child, 1));
      child.kill();
    }
  return measured;
}

/** Measures processes that have been called often. @returns microseconds a call of each subject */
async function warm(subjects: readonly Subject[], run: (subject: Subject) => ChildProcess, what: keyof typeof CALLS) {
  const children = subjects.map(run);
  try {
    for (const child of children) await calls(child, WARMING[what]);
    const measured: number[][] = subjects.map(() => []);
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, child] of inTurns(children, round))
        measured[at]?.push((await calls(child, CALLS[what])) / CALLS[what]);
    return measured;
  } finally {
    for (const child of children) child.kill();
  }
}

/** Returns all with their places; whoever was first in one round is last in the next. */
const inTurns = <T>(all: readonly T[], round: number): readonly (readonly [number, T])[] => {
  const placed = all.map((one, at) => [at, one] as const);
  return round % 2 === 0 ? placed : placed.toReversed();
};

function start(program: string, { bundle, events, variables }: Subject, url: string): ChildProcess {
  const credentials = { AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench', AWS_SESSION_TOKEN: 'bench' };
  const env = {
    ...variables,
    ...credentials,
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL: url,
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    NODE_NO_WARNINGS: '1',
  };
  return spawn(program, [CHILD, bundle, events], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Lets a process call its handler. @returns the microseconds of CPU that it took */
function calls(child: ChildProcess, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('the measured process has ended; its error is above'));
    child.once('exit', ended);
    child.once('message', ({ cpu }: { readonly cpu: number }) => {
      child.off('exit', ended);
      resolve(cpu);
    });
    child.send(count);
  });
}

function print(kind: Kind, subjects: readonly Subject[], measured: readonly (readonly number[])[]): void {
  const medians = measured.map(median);
  const rival = medians[1] ?? 1;
  const rows = subjects.map(({ name, bundle }, at) => {
    const cpu = medians[at] ?? 0;
    const spread = `${milliseconds(Math.min(...(measured[at] ?? [])))} to ${milliseconds(Math.max(...(measured[at] ?? [])))}`;
    const rate = kind === 'relay' ? [Math.round((RECORDS * 1e6) / cpu).toLocaleString('en')] : [];
    return [
      name,
      milliseconds(cpu),
      spread,
      (cpu / rival).toFixed(2),
      ...rate,
      Math.round(statSync(bundle).size / 1024),
    ];
  });
  const rate = kind === 'relay' ? ['commits a second of a core'] : [];
  console.log(table([TITLES[kind], 'CPU, ms', 'least to most', 'ratio', ...rate, 'bundle, KiB'], rows));
  console.log(
    `\nMedians of ${ROUNDS}, in turns, Node 24, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}. Only the ratio is comparable.`,
  );
}

const TITLES: Readonly<Record<Kind, string>> = {
  cold: 'place-order: start, import and first request',
  warm: 'place-order: a request',
  relay: `relay: a batch of ${RECORDS} records`,
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const milliseconds = (micros: number): string => (micros / 1000).toFixed(micros < 10_000 ? 2 : 1);
