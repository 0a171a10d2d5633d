import type { BackoffSettings } from './contract.js';

/** Returns the pause after a failed attempt, in seconds. @param attempts number of attempts so far, from 1 */
export function computeBackoff(attempts: number, { kind, baseSeconds, capSeconds }: BackoffSettings): number {
  const pause = kind === 'linear' ? baseSeconds * attempts : baseSeconds * 2 ** (attempts - 1);
  return Math.min(capSeconds, pause);
}
