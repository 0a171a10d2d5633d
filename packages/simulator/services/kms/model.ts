import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Resource } from '../../assembly/assembly.js';
import type { Random } from '../../engine/random.js';
import { NotModelled, type Operations, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';

/** An access as permissions see it: `kms:EncryptionContext:<key>` and `kms:EncryptionContextKeys`. */
interface Right {
  readonly key: string;
  readonly context: Readonly<Record<string, string | readonly string[]>>;
}

interface Key {
  readonly resource: Resource;
  readonly secret: Buffer;
}

const IV = 12;
const TAG = 16;
/** Length of the key's hash (of its ARN) at the beginning of a blob. */
const ID = 32;

/**
 * Symmetric KMS keys, which wrap and unwrap data keys. AWS Key Management Service API Reference, "GenerateDataKey",
 * "Encrypt", "Decrypt" and "DescribeKey"; Developer Guide, "Encryption context", "Condition keys for AWS KMS". Only the same KMS key and exactly the
 * same context unwrap a data key. The bytes of a data key need no secrecy here, so they come from the seed.
 */
export class Kms {
  private readonly keys = new Map<string, Key>();

  constructor(
    resources: readonly Resource[],
    private readonly random: Random,
  ) {
    for (const resource of resources) {
      const { KeySpec = 'SYMMETRIC_DEFAULT', KeyUsage = 'ENCRYPT_DECRYPT', Enabled = true } = resource.properties;
      if (KeySpec !== 'SYMMETRIC_DEFAULT' || KeyUsage !== 'ENCRYPT_DECRYPT' || Enabled !== true) {
        throw new Error(
          `KMS key ${resource.label}: ${String(KeySpec)}, ${String(KeyUsage)}, enabled ${String(Enabled)}`,
        );
      }
      const secret = Buffer.from(random.fork(resource.label).fill(new Uint8Array(32)));
      this.keys.set(resource.arn, { resource, secret });
    }
  }

  /** Returns the access that a call needs. If a Decrypt names no key, the blob names it. */
  requiredAccess({ KeyId, CiphertextBlob, EncryptionContext = {} }: Input): Right {
    const context = EncryptionContext as Readonly<Record<string, string>>;
    const named =
      KeyId === undefined
        ? this.findKeyOfBlob(blobOf(CiphertextBlob))?.resource.arn
        : this.resolveKeyArn(String(KeyId));
    return {
      key: named ?? String(KeyId),
      context: {
        ...Object.fromEntries(Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, value])),
        'kms:EncryptionContextKeys': Object.keys(context),
      },
    };
  }

  /** Operations by their names. */
  readonly operations: Operations = {
    GenerateDataKey: (input) => this.generate(input),
    Encrypt: (input) => this.encrypt(input),
    Decrypt: (input) => this.decrypt(input),
    DescribeKey: (input) => this.describe(input),
    ListKeys: () => ({
      Keys: [...this.keys.keys()].map((arn) => ({ KeyArn: arn, KeyId: idIn(arn) })),
      Truncated: false,
    }),
  };

  private generate({ KeyId, KeySpec, EncryptionContext = {}, ...others }: Input): object {
    refuseOthers(others);
    if (KeySpec !== 'AES_256') throw new NotModelled(`KMS GenerateDataKey of ${String(KeySpec)}`);
    const key = this.findKey(KeyId);
    const plain = Buffer.from(this.random.fill(new Uint8Array(32)));
    const blob = this.wrapped(key, plain, EncryptionContext);
    return {
      KeyId: key.resource.arn,
      Plaintext: plain.toString('base64'),
      CiphertextBlob: blob.toString('base64'),
    };
  }

  private encrypt({ KeyId, Plaintext, EncryptionContext = {}, ...others }: Input): object {
    refuseOthers(others);
    const key = this.findKey(KeyId);
    return {
      KeyId: key.resource.arn,
      CiphertextBlob: this.wrapped(key, blobOf(Plaintext), EncryptionContext).toString('base64'),
      EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
    };
  }

  private wrapped({ resource, secret }: Key, plain: Buffer, context: unknown): Buffer {
    const iv = Buffer.from(this.random.fill(new Uint8Array(IV)));
    const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(contextBytes(context));
    return Buffer.concat([idOf(resource.arn), iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  private describe({ KeyId }: Input): object {
    const key = this.findKey(KeyId);
    const { arn, properties } = key.resource;
    return {
      KeyMetadata: {
        AWSAccountId: arn.split(':')[4],
        KeyId: idIn(arn),
        Arn: arn,
        Enabled: true,
        Description: properties.Description ?? '',
        KeyUsage: 'ENCRYPT_DECRYPT',
        KeyState: 'Enabled',
        Origin: 'AWS_KMS',
        KeyManager: 'CUSTOMER',
        KeySpec: 'SYMMETRIC_DEFAULT',
        EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
        MultiRegion: false,
      },
    };
  }

  private decrypt({ KeyId, CiphertextBlob, EncryptionContext = {}, ...others }: Input): object {
    refuseOthers(others);
    const blob = blobOf(CiphertextBlob);
    const key = this.findKeyOfBlob(blob);
    if (!key) throw new Refused('InvalidCiphertextException', '');
    if (KeyId !== undefined && this.resolveKeyArn(String(KeyId)) !== key.resource.arn) {
      throw new Refused(
        'IncorrectKeyException',
        'The key ID in the request does not identify a CMK that can perform this',
      );
    }
    const [iv, text, tag] = [blob.subarray(ID, ID + IV), blob.subarray(ID + IV, -TAG), blob.subarray(-TAG)];
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.secret, iv, { authTagLength: TAG });
      decipher.setAAD(contextBytes(EncryptionContext)).setAuthTag(tag);
      const plain = Buffer.concat([decipher.update(text), decipher.final()]);
      return {
        KeyId: key.resource.arn,
        Plaintext: plain.toString('base64'),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      };
    } catch {
      throw new Refused('InvalidCiphertextException', '');
    }
  }

  /** @throws {Refused} if there is no such key */
  private findKey(name: unknown): Key {
    const key = this.keys.get(this.resolveKeyArn(String(name)));
    if (!key) throw new Refused('NotFoundException', `Key '${String(name)}' does not exist`);
    return key;
  }

  /** Returns a key's ARN, given its ARN or its id. */
  private resolveKeyArn(name: string): string {
    return (
      [...this.keys.values()].find(({ resource: { arn, ref } }) => arn === name || ref === name)?.resource.arn ?? name
    );
  }

  private findKeyOfBlob(blob: Buffer) {
    return [...this.keys.values()].find(({ resource }) => idOf(resource.arn).equals(blob.subarray(0, ID)));
  }
}

const idOf = (arn: string): Buffer => createHash('sha256').update(arn).digest();
const blobOf = (text: unknown): Buffer => Buffer.from(String(text ?? ''), 'base64');

/** "The order of the pairs doesn't matter." */
const contextBytes = (context: unknown): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context as object).sort(([one], [other]) => (one < other ? -1 : 1))));

const idIn = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1);

function refuseOthers(others: Input): void {
  for (const name of Object.keys(others)) throw new NotModelled(`KMS ${name}`);
}
