import { clock } from '@orderly/kit/aws';
import type { IssuedToken } from '../client-credentials.js';
import { RUN_SECONDS } from './environment.js';

/**
 * Token that is kept from one run to the next, since issuers charge for each. It is valid until the end of the run that gets it. After
 * a run that failed, {@link forget} it: its issuer may have revoked it, or may have new keys.
 */
export class KeptToken {
  private kept: { readonly token: string; readonly until: number } | undefined;

  constructor(private readonly request: () => Promise<IssuedToken>) {}

  async get(): Promise<string> {
    if (this.kept && this.kept.until > clock.epochSeconds() + RUN_SECONDS) return this.kept.token;
    const { token, expiresIn = 0 } = await this.request();
    this.kept = { token, until: clock.epochSeconds() + expiresIn };
    return token;
  }

  forget(): void {
    this.kept = undefined;
  }
}
