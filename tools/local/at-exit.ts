const pending = new Set<() => void>();
let listening = false;

/**
 * Has something done when this process ends, by a signal too (tools/run.mjs turns them into an exit). Synchronous only.
 * @returns takes it back
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
