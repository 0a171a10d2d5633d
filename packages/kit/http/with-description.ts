import * as z from 'zod/mini';

/**
 * Returns a schema with a description for the API's documents. Bundles hold only descriptions of schemas that they use.
 * @example withDescription('Pieces on hand.', z.int())
 */
// @__NO_SIDE_EFFECTS__
export function withDescription<Schema extends z.ZodMiniType>(description: string, schema: Schema): Schema {
  return schema.check(z.describe(description)) as Schema;
}
