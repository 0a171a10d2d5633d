import { KMSClient } from '@aws-sdk/client-kms';
import { documents, SOCKET_TIMEOUT_MS } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { required } from '../aws/read-environment.js';
import { PersonalKeys } from './personal-keys.js';

/** The keys of people, for a function that its stack lets open or seal. @throws {SettingMissing} at start, where it doesn't */
export const personalKeysOfFunction = (): PersonalKeys =>
  new PersonalKeys({
    table: required(Env.PERSONAL_KEYS),
    kmsKey: required(Env.PERSONAL_DATA_KEY),
    documents,
    kms: new KMSClient({ requestHandler: { socketTimeout: SOCKET_TIMEOUT_MS } }),
  });
