import { Refused } from '../../wire/operation.js';

/** Refuses with an error of SQS. @param code name of the error's type */
export const sqsError = (code: string, message = code, status = 400): Refused =>
  new Refused(`com.amazonaws.sqs#${code}`, message, status);

/** Refuses a parameter: an error that every operation has. */
export const invalid = (message: string): Refused => sqsError('InvalidParameterValueException', message);

/** Refuses the value of a parameter. */
export const invalidValue = (value: unknown, parameter: string, reason: string): Refused =>
  invalid(`Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}`);

/**
 * Returns a parameter that is a number of seconds.
 * @param most its limit; the least is 0
 * @throws {Refused}
 */
export function seconds(value: unknown, parameter: string, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!(number >= 0 && number <= most))
    throw invalidValue(value, parameter, `Must be >= 0 and <= ${most}, if provided.`);
  return number;
}
