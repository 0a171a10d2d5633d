/** Waits for Ctrl-C or a signal to terminate. */
export function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => {}, 60_000);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.removeAllListeners(signal);
      process.on(signal, () => {
        clearInterval(keepAlive);
        resolve();
      });
    }
  });
}
