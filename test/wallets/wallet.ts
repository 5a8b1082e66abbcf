// A wallet written from the specifications alone: OpenID4VCI 1.0, OpenID4VP 1.0, RFC 9901, SD-JWT VC, Token Status List, RFC 9449, with jose
// and node:crypto. It is strict: whatever a specification forbids is a fault, so that it finds what lenient wallets let pass.
import type { Credential } from './credential.js';
import { must } from './faults.js';
import { Issuance, type WalletOptions } from './issuance.js';
import type { WalletKey } from './keys.js';
import {
  choose,
  encrypt,
  openBrowserRequest,
  openRequest,
  type PresentationRequest,
  presentationsOf,
  respond,
} from './presentation.js';

export class SpecWallet {
  readonly credentials: Credential[] = [];
  readonly #keys = new Map<string, WalletKey>();

  constructor(readonly options: WalletOptions) {}

  /** Takes an offer with a pre-authorized code: as many copies as the issuer gives, and tells it so. */
  async take(offerUri: string, txCode?: string): Promise<Issuance> {
    const issuance = await Issuance.open(offerUri, this.options);
    await issuance.authorization.requestToken(txCode);
    await this.receive(issuance);
    return issuance;
  }

  /** Gets credentials by the token of an issuance, and keeps them. */
  async receive(issuance: Issuance, count?: number): Promise<Credential[]> {
    const received = await issuance.credentials(count);
    this.keep(issuance, received);
    if (received.length > 0 && issuance.notificationId !== undefined) await issuance.notify('credential_accepted');
    return received;
  }

  keep(issuance: Issuance, received: readonly Credential[]): void {
    for (const credential of received) this.#keys.set(credential.thumbprint, issuance.keyOf(credential));
    this.credentials.push(...received);
  }

  keyOf = ({ thumbprint }: Credential): WalletKey => {
    const key = this.#keys.get(thumbprint);
    must(key !== undefined, 'the wallet has the key of each credential');
    return key;
  };

  /** The encrypted answer to a request. @returns undefined where the wallet has not what is asked */
  async answer(request: PresentationRequest): Promise<string | undefined> {
    const shown = choose(request, this.credentials);
    if (shown === undefined) return undefined;
    return encrypt(request, { vp_token: await presentationsOf(request, shown, this.keyOf) });
  }

  /** Answers the request behind an address. @returns where the browser has to go, if anywhere */
  async present(uri: string, method?: 'get' | 'post'): Promise<string | undefined> {
    const request = await openRequest(uri, this.options.roots, method);
    const response = await this.answer(request);
    must(response !== undefined, 'the wallet has what is asked');
    return respond(request, { response });
  }

  /** Answers a request of the Digital Credentials API: what the page gets. */
  async presentToPage(asked: { protocol: unknown; request: unknown }, origin: string): Promise<{ response: string }> {
    const response = await this.answer(await openBrowserRequest(asked, origin, this.options.roots));
    must(response !== undefined, 'the wallet has what is asked');
    return { response };
  }
}
