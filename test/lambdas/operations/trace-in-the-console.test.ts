import type { DeepReadonly } from '@orderly/kit/routes';
import { expectTypeOf, test } from 'vitest';
import type * as z from 'zod/mini';
import type { TraceView } from '../../../lambdas/operations/contract.js';
import type { Trace } from '../../../packages/console/order/trace.js';

test('the console reads what GET /operations/trace/{id} answers', () =>
  expectTypeOf<DeepReadonly<z.infer<typeof TraceView>>>().toExtend<Trace>());
