import { Refused } from '../aws/refused.js';
import type { Cloud } from '../cloud.js';
import type { Operation, Operations } from './operation.js';

/** Operations of the model of KMS. */
const OPERATIONS = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ListKeys'];

/** Keys. AWS Key Management Service API Reference, "Actions". */
export const keys = ({ kms }: Cloud): Operations =>
  Object.fromEntries(
    OPERATIONS.map((operation): [string, Operation] => [
      operation,
      (input) => {
        const answer = kms.call(operation, input);
        if ('error' in answer) throw new Refused(answer.error.code, answer.error.message);
        return 'output' in answer ? answer.output : {};
      },
    ]),
  );
