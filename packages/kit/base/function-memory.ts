import { FUNCTION_MEMORY, type FunctionKind } from './memory-settings.js';
import { type EnvironmentSettings, SettingsError } from './settings.js';

/** Returns the memory of a function, in MB. @throws {SettingsError} for memory that Lambda doesn't offer */
export function memoryOf(kind: FunctionKind, { memory = {} }: Pick<EnvironmentSettings, 'memory'>): number {
  for (const [name, megabytes] of Object.entries<number>(memory)) {
    if (Object.hasOwn(FUNCTION_MEMORY, name) && Number.isInteger(megabytes) && megabytes >= 128 && megabytes <= 10_240)
      continue;
    throw new SettingsError(
      `memory.${name} is ${megabytes}: expected whole MB from 128 to 10240, for ${Object.keys(FUNCTION_MEMORY).join(', ')}`,
    );
  }
  return memory[kind] ?? FUNCTION_MEMORY[kind];
}
