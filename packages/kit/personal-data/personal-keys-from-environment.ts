import { KMSClient } from '@aws-sdk/client-kms';
import { documentClient, SOCKET_TIMEOUT_MS } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { requireEnv } from '../aws/read-environment.js';
import { PersonalKeys } from './personal-keys.js';

/**
 * Returns the personal keys, for a function that its stack permits to open or to seal.
 * @throws {SettingMissing} at start, if the stack permits neither
 */
export const personalKeysFromEnvironment = (): PersonalKeys =>
  new PersonalKeys({
    table: requireEnv(Env.PERSONAL_KEYS),
    kmsKey: requireEnv(Env.PERSONAL_DATA_KEY),
    documents: documentClient,
    kms: new KMSClient({ requestHandler: { socketTimeout: SOCKET_TIMEOUT_MS } }),
  });
