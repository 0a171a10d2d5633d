import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** PKCS #8 around the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Lifetime of a token, seconds. It began a minute before it is used, so that clocks may differ. */
const LIFETIME_SECONDS = 43_200;

/**
 * An issuer of tokens for simulated histories. Its key follows from a public text, so each run makes the same
 * signatures; Ed25519 has no random part. Nothing real may trust it.
 */
export class SimulatedIssuer {
  readonly keyId = 'simulation';
  private readonly key: KeyObject;

  /**
   * @param settings issuer (`iss`) and audience (`aud`) that the API of the assembly expects
   * @param text the key follows from it. @default the issuer
   */
  constructor(
    private readonly settings: { readonly issuer: string; readonly audience: string },
    text: string = settings.issuer,
  ) {
    const seed = createHash('sha256').update(text).digest();
    this.key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  }

  /** Settings of an API that believes its tokens. */
  get auth(): { readonly issuer: string; readonly audience: string; readonly jwks: string } {
    return { ...this.settings, jwks: this.jwks() };
  }

  /** The public key as a JSON Web Key Set, for the settings of the API. */
  jwks(): string {
    const { kty, crv, x } = createPublicKey(this.key).export({ format: 'jwk' });
    return JSON.stringify({ keys: [{ kty, crv, x, kid: this.keyId, alg: 'EdDSA', use: 'sig' }] });
  }

  /** The public key as PEM (SPKI). */
  publicKey(): string {
    return createPublicKey(this.key).export({ type: 'spki', format: 'pem' }).toString();
  }

  /** Signs a text: EdDSA, base64url. */
  signature(text: string): string {
    return sign(null, Buffer.from(text), this.key).toString('base64url');
  }

  /**
   * Issues a token.
   * @param claims `sub`, and the claims that the API asks for, as its role claim
   * @param now virtual milliseconds since 1970; the token is valid for 12 hours from a minute before
   */
  token(claims: Readonly<Record<string, string>>, now: number): string {
    const iat = Math.floor(now / 1000) - 60;
    const { issuer: iss, audience: aud } = this.settings;
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = encoded({ alg: 'EdDSA', typ: 'JWT', kid: this.keyId });
    const signed = `${header}.${encoded({ ...claims, iss, aud, iat, exp: iat + LIFETIME_SECONDS })}`;
    return `${signed}.${this.signature(signed)}`;
  }
}

/** Issuer for an app that needs no other one. Take its `auth` for the simulator only: everybody can make its tokens. */
export const simulatedIssuer = new SimulatedIssuer({
  issuer: 'https://issuer.simulated.invalid',
  audience: 'simulated',
});

/** Reads claims from words such as `role=clerk`. A word without a name or a value is left out. */
export const parseClaims = (words: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    words.flatMap((word) => {
      const [, name, value] = /^([^=]+)=(.+)$/.exec(word) ?? [];
      return name !== undefined && value !== undefined ? [[name, value]] : [];
    }),
  );
