const pending = new Set<() => void>();
let listening = false;

/**
 * Registers work for the end of this process, which may also be a signal (tools/run.mjs turns signals into an exit).
 * The work must be synchronous.
 * @returns a function that removes the work
 */
export function atExit(work: () => void): () => void {
  if (!listening) {
    listening = true;
    process.once('exit', () => {
      for (const one of pending) one();
    });
  }
  pending.add(work);
  return () => pending.delete(work);
}
