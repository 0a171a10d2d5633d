import { KMSClient } from '@aws-sdk/client-kms';
import { documents, SOCKET_TIMEOUT_MS } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { required } from '../aws/read-environment.js';
import { PersonalKeys } from './personal-keys.js';

/**
 * Returns the personal keys, for a function that its stack permits to open or to seal.
 * @throws {SettingMissing} at start, if the stack permits neither
 */
export const personalKeysOfFunction = (): PersonalKeys =>
  new PersonalKeys({
    table: required(Env.PERSONAL_KEYS),
    kmsKey: required(Env.PERSONAL_DATA_KEY),
    documents,
    kms: new KMSClient({ requestHandler: { socketTimeout: SOCKET_TIMEOUT_MS } }),
  });
