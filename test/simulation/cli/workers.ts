import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pace } from './pace.js';
import type { Message, Task } from './worker.js';

/** Interval of progress lines without a terminal, in milliseconds. */
const TOLD_EVERY_MS = 10_000;

/**
 * Distributes a search to processes, and prints its progress and the CPU time of a history.
 * @returns number of histories that broke a promise
 */
export async function shareOut(task: Omit<Task, 'part' | 'of'>, workers: number): Promise<number> {
  const begun = performance.now();
  let found = 0;
  let toldAt = begun;
  const pace = new Pace();
  const done = new Map<number, { readonly done: number; readonly all: number }>();
  const sum = (what: 'done' | 'all'): number => [...done.values()].reduce((total, one) => total + one[what], 0);
  const show = (): void => {
    const line = `${task.scenario} ${task.kind} ${sum('done')} of ${sum('all')}, ${found} broken`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line} `);
    else if (performance.now() - toldAt > TOLD_EVERY_MS) {
      toldAt = performance.now();
      process.stderr.write(`${line}\n`);
    }
  };
  const one = (part: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const share: Task = { ...task, part, of: workers };
      const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [JSON.stringify(share)], {
        execArgv: ['--import', 'tsx'],
      });
      worker.on('message', (message: Message) => {
        if (message.kind === 'found') {
          found++;
          console.log(message.text);
        } else {
          done.set(part, message);
          pace.add(message.done, message.cpu);
        }
        show();
      });
      worker.on('error', reject);
      worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
    });
  await Promise.all(Array.from({ length: workers }, (_, part) => one(part)));
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (process.stderr.isTTY) process.stderr.write('\r');
  console.log(`${task.scenario}: ${sum('done')} ${task.kind}, ${found} broken a promise, ${seconds} s${pace.told()}`);
  return found;
}
