import { vi } from 'vitest';

/** Has this process write its metrics, as a function does, until the test's end. @param written called with each line of one metric */
export function metricLines(metric: string, written: () => void): void {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  // The console of this process, not one that is made of its streams.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Orderly/test');
  vi.spyOn(console, 'log').mockImplementation((line) => {
    if (metric in JSON.parse(line)) written();
  });
}
