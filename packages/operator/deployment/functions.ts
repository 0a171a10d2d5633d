import {
  apiPrefixes,
  auditPrefixes,
  type FunctionDescription,
  Output,
  operatorApiPrefixes,
  servicePrefixes,
} from '@orderly/kit/internal/base/outputs.js';
import * as z from 'zod/mini';
import { OperatorError } from '../cli/errors.js';
import type { StackOutputs } from './stacks.js';

const Functions: z.ZodMiniType<FunctionDescription[]> = z.array(
  z.object({
    service: z.string(),
    entry: z.string(),
    name: z.string(),
    consumer: z.exactOptional(z.string()),
  }),
);

/**
 * Returns the functions of all services and of the API in the stacks of an environment.
 * @example parseFunctions(await readStacks(local, 'shop', 'dev')).find(({ entry }) => entry === 'orders/place-order')?.name
 * @throws {OperatorError} `refused` if another release of the kit has written the outputs
 */
export const parseFunctions = (stacks: StackOutputs): readonly FunctionDescription[] =>
  Object.entries(stacks).flatMap(([stack, outputs]) => {
    const keys = Object.keys(outputs);
    const prefixes = [servicePrefixes, apiPrefixes, auditPrefixes, operatorApiPrefixes].flatMap((of) => of(keys));
    return prefixes.flatMap((prefix) => {
      const functions = z.safeParse(Functions, JSON.parse(outputs[prefix + Output.FUNCTIONS] || 'null'));
      if (functions.success) return functions.data;
      throw new OperatorError(
        'refused',
        `${stack} was deployed by another release, and this one can't read its functions: deploy ${stack} again.`,
      );
    });
  });
