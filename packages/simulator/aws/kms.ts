import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Resource } from '../assembly/assembly.js';
import type { Random } from '../world/random.js';
import type { Answer } from './calls.js';

/** An access as permissions see it: `kms:EncryptionContext:<key>` and `kms:EncryptionContextKeys`. */
interface Right {
  readonly key: string;
  readonly context: Readonly<Record<string, string | readonly string[]>>;
}

type Input = Readonly<Record<string, unknown>>;

const IV = 12;
const TAG = 16;
/** Length of the key's hash (of its ARN) at the beginning of a blob. */
const ID = 32;

/**
 * Symmetric KMS keys, which wrap and unwrap data keys. AWS Key Management Service API Reference, "GenerateDataKey" and
 * "Decrypt"; Developer Guide, "Encryption context", "Condition keys for AWS KMS". Only the same KMS key and exactly the
 * same context unwrap a data key. The bytes of a data key need no secrecy here, so they come from the seed.
 */
export class Kms {
  private readonly keys = new Map<string, { readonly resource: Resource; readonly secret: Buffer }>();

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
  rightOf({ KeyId, CiphertextBlob, EncryptionContext = {} }: Input): Right {
    const context = EncryptionContext as Readonly<Record<string, string>>;
    const named = KeyId === undefined ? this.keyIn(blobOf(CiphertextBlob))?.resource.arn : this.arnOf(String(KeyId));
    return {
      key: named ?? String(KeyId),
      context: {
        ...Object.fromEntries(Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, value])),
        'kms:EncryptionContextKeys': Object.keys(context),
      },
    };
  }

  call(operation: string, input: Input): Answer {
    switch (operation) {
      case 'GenerateDataKey':
        return this.generate(input);
      case 'Decrypt':
        return this.decrypt(input);
      default:
        throw new Error(`KMS ${operation} isn't modelled`);
    }
  }

  private generate({ KeyId, KeySpec, EncryptionContext = {}, ...others }: Input): Answer {
    refuseOthers(others);
    if (KeySpec !== 'AES_256') throw new Error(`KMS GenerateDataKey of ${String(KeySpec)} isn't modelled`);
    const key = this.keys.get(this.arnOf(String(KeyId)));
    if (!key) return refused('NotFoundException', `Key '${String(KeyId)}' does not exist`);
    const plain = Buffer.from(this.random.fill(new Uint8Array(32)));
    const iv = Buffer.from(this.random.fill(new Uint8Array(IV)));
    const cipher = createCipheriv('aes-256-gcm', key.secret, iv).setAAD(contextBytes(EncryptionContext));
    const text = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const blob = Buffer.concat([idOf(key.resource.arn), iv, text]);
    return {
      output: {
        KeyId: key.resource.arn,
        Plaintext: plain.toString('base64'),
        CiphertextBlob: blob.toString('base64'),
      },
    };
  }

  private decrypt({ KeyId, CiphertextBlob, EncryptionContext = {}, ...others }: Input): Answer {
    refuseOthers(others);
    const blob = blobOf(CiphertextBlob);
    const key = this.keyIn(blob);
    if (!key) return refused('InvalidCiphertextException', '');
    if (KeyId !== undefined && this.arnOf(String(KeyId)) !== key.resource.arn) {
      return refused(
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
        output: {
          KeyId: key.resource.arn,
          Plaintext: plain.toString('base64'),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        },
      };
    } catch {
      return refused('InvalidCiphertextException', '');
    }
  }

  /** Returns a key's ARN, given its ARN or its id. */
  private arnOf(name: string): string {
    return (
      [...this.keys.values()].find(({ resource: { arn, ref } }) => arn === name || ref === name)?.resource.arn ?? name
    );
  }

  private keyIn(blob: Buffer) {
    return [...this.keys.values()].find(({ resource }) => idOf(resource.arn).equals(blob.subarray(0, ID)));
  }
}

const idOf = (arn: string): Buffer => createHash('sha256').update(arn).digest();
const blobOf = (text: unknown): Buffer => Buffer.from(String(text ?? ''), 'base64');

/** "The order of the pairs doesn't matter." */
const contextBytes = (context: unknown): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context as object).sort(([one], [other]) => (one < other ? -1 : 1))));

const refused = (code: string, message: string): Answer => ({ error: { status: 400, code, message } });

function refuseOthers(others: Input): void {
  for (const name of Object.keys(others)) throw new Error(`KMS ${name} isn't modelled`);
}
