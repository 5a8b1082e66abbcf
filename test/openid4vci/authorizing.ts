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
  /** The page's id; empty: there is none. */
  id: string;
  links: string[];
  headers: Headers;
}

/** Cookies of a browser, by name. */
export type Cookies = Map<string, string>;

const USERS: Cookies = new Map();

/** A wallet and its user at one address of a gateway. */
export class Authorizing {
  readonly wallet: TestWallet;

  constructor(
    /** The gateway's address here. */
    readonly url: string,
    readonly issuer = ISSUER,
    /** Of the user's browser, which is the same at all gateways. */
    readonly cookies: Cookies = USERS,
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
    return this.shown(`authorize?${new URLSearchParams(parameters)}`);
  }

  openPushed({ body }: Answer): Promise<Shown> {
    return this.open({ client_id: CLIENT_ID, request_uri: body.request_uri });
  }

  /** Sends a form; what the page then shows. */
  fill(members: Record<string, string>): Promise<Shown> {
    return this.shown('authorize', { method: 'POST', body: new URLSearchParams(members) });
  }

  /** Loads a page again, as a tab that was discarded does. */
  reload({ id }: Shown): Promise<Shown> {
    return this.shown(`authorize?page=${id}`);
  }

  /** A request of the browser, without following a redirect. */
  async visit(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const response = await fetch(this.own(`${this.issuer}/${path}`), { ...init, headers, redirect: 'manual' });
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
    if (name !== undefined && value !== undefined) this.cookies.set(name, value);
    return response;
  }

  /** What a browser shows in the end. */
  async shown(path: string, init?: RequestInit): Promise<Shown> {
    const response = await this.visit(path, init);
    const next = response.headers.get('location');
    if (next !== null) return this.shown(next);
    const text = await response.text();
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    const id = /[?]page=([\w-]+)/.exec(text)?.[1] ?? '';
    return { status: response.status, text, id, links, headers: response.headers };
  }

  /** Follows a link of a page; the address to which the gateway then sends the browser. */
  async follow({ id }: Shown, which: 'agree' | 'decline'): Promise<URL> {
    const response = await this.visit(`authorize?page=${id}&${which}=1`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const location = response.headers.get('location') ?? '';
    if (response.status !== 303) throw new Error(`${response.status}: ${await response.text()}`);
    if (location.startsWith('authorize?')) throw new Error(`the page goes on: ${location}`);
    return new URL(location);
  }

  /** Logs in on a page, with the code that was mailed. */
  async logIn(world: Membership, { id }: Shown, email: string): Promise<Shown> {
    await this.fill({ page: id, email });
    return this.fill({ page: id, code: await codeFor(world, email) });
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
export const codeFor = async (world: Membership, email: string): Promise<string> =>
  (await mailbox(world, email)).at(-1)?.code ?? '';

/** How many mails an address got. */
export const mailsOf = async (world: Membership, email: string): Promise<number> =>
  (await mailbox(world, email)).length;

async function mailbox({ gateway }: Pick<Membership, 'gateway'>, email: string): Promise<{ code: string }[]> {
  const { body } = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
  return body.messages;
}
