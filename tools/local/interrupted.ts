/**
 * Waits for Ctrl-C or a signal to terminate. A second one, while the work after the first still ends, ends the process at
 * once.
 * @returns the number of the signal
 */
export function awaitInterruption(): Promise<number> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => {}, 60_000);
    onInterruption((number) => {
      clearInterval(keepAlive);
      resolve(number);
    });
  });
}

/**
 * Takes over Ctrl-C and signals to terminate from those who heard them before. A second one ends the process at once.
 * @param hear called with the number of the first one
 * @returns a function that gives the signals back
 */
export function onInterruption(hear: (number: number) => void): () => void {
  const undo = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    let isFirst = true;
    const before = process.listeners(signal);
    const listener = (_name: NodeJS.Signals, number: number): void => {
      if (!isFirst) process.exit(128 + number);
      isFirst = false;
      hear(number);
    };
    // A signal that has come, but that no listener has heard, is lost when the last listener goes: so this one comes first.
    process.on(signal, listener);
    for (const one of before) process.off(signal, one);
    return () => {
      for (const one of before) process.on(signal, one);
      process.off(signal, listener);
    };
  });
  return () => {
    for (const one of undo) one();
  };
}
