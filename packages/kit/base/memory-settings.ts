/**
 * Memory of functions, in MB, by what they work on. Lambda gives CPU in proportion to it, a whole virtual CPU at 1,769 MB ("Configure Lambda
 * function memory"), and charges memory times duration. So work of the CPU costs the same with any memory, and waiting costs half
 * with half of it. A function's code and its SDK need about 110 MB.
 */
export const FUNCTION_MEMORY = {
  /** Somebody waits for the answer, and a cold start is work of the CPU alone: half of the memory would double it. */
  request: 512,
  /** A message, a record or a stored message. It waits most of its time, for DynamoDB, the bus or the provider; nobody waits for a cold start. */
  message: 256,
  /** A round of a lane. The next round of a hot key waits for it, so its CPU limits what one key can take. */
  lane: 512,
  /** Anything whose data grows with what it finds: rebuilds, drains, sweeps, windows of an inbox, the audit. They run rarely. */
  job: 512,
} as const;
export type FunctionKind = keyof typeof FUNCTION_MEMORY;

/** Memory by kind that replaces the kit's own, in MB. */
export type MemorySettings = Readonly<Partial<Record<FunctionKind, number>>>;
