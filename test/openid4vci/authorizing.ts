// A wallet's part of the authorization code flow, and a user who fills in the page without a browser.
import { createHash, randomBytes } from 'node:crypto';
import type { Membership } from '../support/membership.js';
import { type Answer, type Key, send, TestWallet } from './wallet.js';

export const PUBLIC = 'http://wallets.localhost:4000';
export const ISSUER = `${PUBLIC}/oid4vci/club`;
export const REDIRECT_URI = 'https://wallet.example/cb?tenant=1';
export const CLIENT_ID = 'wallet.example';

/** A code verifier and its challenge (RFC 7636). */
export function newPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A page as a user sees it. */
export interface Shown {
  status: number;
  text: string;
  secret: string;
  links: string[];
  headers: Headers;
}

/** A wallet and its user at one address of a gateway. */
export class Authorizing {
  readonly wallet: TestWallet;

  constructor(
    /** The gateway's address here. */
    readonly url: string,
    readonly issuer = ISSUER,
  ) {
    this.wallet = new TestWallet(issuer, this.own);
  }

  readonly own = (address: string): string => address.replace(PUBLIC, this.url);

  /** Parameters of a request. */
  parameters(challenge: string, more: Record<string, string> = {}): Record<string, string> {
    return {
      ...{ response_type: 'code', client_id: CLIENT_ID, redirect_uri: REDIRECT_URI, state: 'st&te' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
      ...more,
    };
  }

  push(parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return send(this.own(`${this.issuer}/par`), { method: 'POST', body: new URLSearchParams(parameters), headers });
  }

  /** Opens the page by these parameters of its address. */
  open(parameters: Record<string, string>): Promise<Shown> {
    return this.#shown(`${this.issuer}/authorize?${new URLSearchParams(parameters)}`);
  }

  openPushed({ body }: Answer): Promise<Shown> {
    return this.open({ client_id: CLIENT_ID, request_uri: body.request_uri });
  }

  fill(members: Record<string, string>): Promise<Shown> {
    return this.#shown(`${this.issuer}/authorize`, { method: 'POST', body: new URLSearchParams(members) });
  }

  async #shown(url: string, init?: RequestInit): Promise<Shown> {
    const { status, body: text, headers } = await send(this.own(url), init);
    const links = [...String(text).matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    return { status, text, secret: /name="page" value="([^"]+)"/.exec(text)?.[1] ?? '', links, headers };
  }

  /** Follows a link of a page; the address to which the gateway then sends the browser. */
  async follow({ links }: Shown, which: 'agree' | 'decline'): Promise<URL> {
    const link = links.find((href) => href.startsWith(`authorize?${which}=`));
    const headers = { 'sec-fetch-site': 'same-origin' };
    const response = await fetch(this.own(`${this.issuer}/${link}`), { redirect: 'manual', headers });
    if (response.status !== 303) throw new Error(`${response.status}: ${await response.text()}`);
    return new URL(response.headers.get('location') ?? '');
  }

  /** Logs in on a page, with the code that was mailed. */
  async logIn(world: Membership, { secret }: Shown, email: string): Promise<Shown> {
    await this.fill({ page: secret, email });
    return this.fill({ page: secret, code: await codeFor(world, email) });
  }

  /** From pushed request to code. */
  async codeOf(world: Membership, parameters: Record<string, string>, email: string): Promise<URL> {
    const page = await this.openPushed(await this.push(parameters));
    return this.follow(await this.logIn(world, page, email), 'agree');
  }

  token(code: string, verifier: string, more: Record<string, string> = {}, dpop?: Key): Promise<Answer> {
    return this.wallet.token(
      {
        ...{ grant_type: 'authorization_code', code, code_verifier: verifier },
        ...{ redirect_uri: REDIRECT_URI, client_id: CLIENT_ID, ...more },
      },
      dpop,
    );
  }
}

/** The newest login code that was mailed to an address. */
export async function codeFor({ gateway }: Membership, email: string): Promise<string> {
  const { body } = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
  return body.messages.at(-1).code;
}
