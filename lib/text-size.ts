import { SettingsError } from '@orderly/kit/constructs';

/** Part of Lambda's 4,096 bytes for all environment variables of a function that one setting may take. */
const MAX_BYTES = 3_072;

/**
 * Checks the size of a setting that a function gets in an environment variable.
 * @param instead what to do if it is too large
 * @throws {SettingsError} with the setting, its size and the limit
 */
export function checkTextSize(setting: string, text: string, instead: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BYTES) return;
  throw new SettingsError(
    `${setting}: ${bytes} bytes, expected at most ${MAX_BYTES}, since Lambda accepts 4,096 for all environment variables of a function: ${instead}`,
  );
}
