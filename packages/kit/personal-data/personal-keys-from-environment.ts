import { KMSClient } from '@aws-sdk/client-kms';
import { documentClient, SOCKET_TIMEOUT_MS } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { requireEnv } from '../aws/read-environment.js';
import { PersonalKeys } from './personal-keys.js';

let kms: KMSClient | undefined;

/**
 * Returns the personal keys, for a function that its stack permits to open or to seal. The client of KMS is made for the first key
 * that isn't in memory: many requests meet nobody's data, and a cold start shouldn't pay for it.
 * @throws {SettingMissing} at start, if the stack permits neither
 */
export const personalKeysFromEnvironment = (): PersonalKeys =>
  new PersonalKeys({
    table: requireEnv(Env.PERSONAL_KEYS),
    kmsKey: requireEnv(Env.PERSONAL_DATA_KEY),
    documents: documentClient,
    get kms() {
      kms ??= new KMSClient({ requestHandler: { socketTimeout: SOCKET_TIMEOUT_MS } });
      return kms;
    },
  });
