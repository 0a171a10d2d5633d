/**
 * Waits for Ctrl-C or a signal to terminate. A second one, while the work after the first still ends, ends the process at
 * once.
 * @returns the number of the signal
 */
export function interrupted(): Promise<number> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => {}, 60_000);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      let isFirst = true;
      const before = process.listeners(signal);
      // A signal that has come, but that no listener has heard, is lost when the last listener goes: so this one comes first.
      process.on(signal, (_name: NodeJS.Signals, number: number) => {
        if (!isFirst) process.exit(128 + number);
        isFirst = false;
        clearInterval(keepAlive);
        resolve(number);
      });
      for (const listener of before) process.off(signal, listener);
    }
  });
}
