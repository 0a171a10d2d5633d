import { createConfig, lintFromString } from '@redocly/openapi-core';

/** Rules besides Redocly's `recommended`, all of whose warnings are errors here. */
const RULES = {
  'no-ambiguous-paths': 'off', // `/users/me` and `/users/{userId}`: the first is exact
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-required-schema-properties-undefined': 'error',
  'no-unused-components': 'error',
  'operation-description': 'error',
  'operation-parameters-unique': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'paths-kebab-case': 'error',
  'tag-description': 'error',
} as const;

/**
 * Lints an OpenAPI document by Redocly's rules.
 * @returns the findings, one line each; none for a good document
 */
export async function lintOpenApi(document: unknown): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location: [first] }) => `${ruleId}: ${message} (${first?.pointer ?? ''})`);
}
