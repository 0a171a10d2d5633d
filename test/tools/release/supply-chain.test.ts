import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isFailed } from '../../../tools/release/check.js';
import { integrityFaults, isAllowed, type LockedPackages, licenceFaults } from '../../../tools/release/packages.js';
import { auditVerdict } from '../../../tools/release/supply-chain.js';

const ROOT = new URL('../../../', import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')) as {
  packages: LockedPackages;
};

describe('the packages of the lock file', () => {
  test('packages have allowed licences', () => {
    expect(licenceFaults(packages)).toEqual([]);
  });

  test('packages have a SHA-512 each', () => {
    expect(integrityFaults(packages)).toEqual([]);
  });

  test('run no install scripts', () => {
    expect(readFileSync(new URL('.npmrc', ROOT), 'utf8')).toContain('ignore-scripts=true\n');
  });
});

describe('a package is refused', () => {
  test.each([
    ['whose licence is not on the list', { license: 'GPL-3.0-only', dev: true }, 'GPL-3.0-only'],
    ['that names no licence', {}, 'no licence (deployed)'],
    ['that is deployed under MPL-2.0', { license: 'MPL-2.0' }, 'MPL-2.0 (deployed)'],
    ['that needs one more licence', { license: 'MIT AND GPL-3.0-only' }, 'MIT AND GPL-3.0-only (deployed)'],
  ])('%s', (_, locked, said) => {
    expect(licenceFaults({ '': {}, 'node_modules/a': locked })).toEqual([`node_modules/a: ${said}`]);
  });

  test('a package without a SHA-512 is refused', () => {
    const weak = { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' };
    expect(integrityFaults({ '': {}, 'node_modules/a': weak, 'node_modules/b': {} })).toEqual([
      'node_modules/a: no SHA-512',
      'node_modules/b: no SHA-512',
    ]);
    expect(integrityFaults({ 'node_modules/a/node_modules/b': { inBundle: true } })).toEqual([]);
  });
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-or-later)', true],
  ['MIT AND ISC', true],
  ['MIT AND (GPL-3.0-only OR ISC)', false], // a person must read nested expressions
  ['', false],
])('the licence expression "%s" is allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression, ['MIT', 'ISC'])).toBe(allowed);
});

describe('npm audit', () => {
  test('npm audit is not clean without a report, and says so', () => {
    expect(auditVerdict({ statusCode: 405 })).toEqual({
      verdict: 'unknown',
      text: 'npm audit: NOT DONE (the registry answered 405). Run it where the registry knows advisories.',
    });
  });

  test('names vulnerable packages', () => {
    const vulnerabilities = { left: { severity: 'high', range: '<1.2.0' } };
    expect(auditVerdict({ auditReportVersion: 2, vulnerabilities })).toEqual({
      verdict: 'refused',
      text: 'npm audit: vulnerable packages.\n  left <1.2.0: high',
    });
    expect(auditVerdict({ auditReportVersion: 2, vulnerabilities: {} }).verdict).toBe('clean');
  });
});

test.each([
  ['clean', false, false],
  ['clean', true, false],
  ['unknown', false, false],
  ['unknown', true, true],
  ['refused', false, true],
  ['refused', true, true],
] as const)('a check that is %s fails the command in CI %s: %s', (verdict, isCi, failed) => {
  expect(isFailed({ verdict, text: '' }, isCi)).toBe(failed);
});
