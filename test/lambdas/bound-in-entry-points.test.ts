import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A module that bound a store when it is loaded could be tested only with an environment and a client. */

const BINDS =
  /\b(eventStoreFromEnvironment|stateStoreFromEnvironment|tableFromEnvironment|dynamoDbTable|personalKeysFromEnvironment)\(/;
const services = new URL('../../lambdas/', import.meta.url);
const modules = readdirSync(services, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const binding = modules.filter((file) => BINDS.test(readFileSync(new URL(file, services), 'utf8')));

test('stores and keys are bound to their tables in entry points, and nowhere else', () => {
  expect(binding).not.toEqual([]);
  expect(binding.filter((file) => !file.endsWith('.lambda.ts'))).toEqual([]);
});

test('a table is named by its variable in entry points only', () => {
  const naming = modules.filter((file) =>
    /\brequired\(Env\.(TABLE|RECORDS)\)/.test(readFileSync(new URL(file, services), 'utf8')),
  );
  expect(naming.filter((file) => !file.endsWith('.lambda.ts'))).toEqual([]);
});
