// The page on which a user lets a wallet have a credential: who issues what, where the browser goes at the end, the login, and the agreement.
import { formPage, type Html, html } from '../../http/pages/form-page.js';
import type { RouteAnswer } from '../../http/routes/route.js';

/** What the page is about. */
export interface PageFacts {
  /** The page's id. */
  id: string;
  issuerName: string;
  credentialName: string;
  /** Names of what the credential says. */
  claims: readonly string[];
  redirectUri: string;
  /** What the user has typed as the e-mail address. */
  email: string;
  /** How many codes were mailed. */
  mails: number;
}

export type Step = 'email' | 'code' | 'agree';

/** Why a request is refused. */
export interface Fault {
  message: string;
  status: number;
}

const MAX_CLAIMS = 50;

/** The address of a page, or of what its links do. */
export const pageAddress = (id: string, does?: 'again' | 'agree' | 'decline'): string =>
  `authorize?page=${id}${does === undefined ? '' : `&${does}=1`}`;

/** The page at a step. @param fault of the last input */
export function authorizePage(facts: PageFacts, step: Step, fault?: string): RouteAnswer {
  const title = `${facts.credentialName} for your wallet`;
  const body = html`<h1>${title}</h1>${about(facts)}${fault === undefined ? undefined : faultOf(fault)}${STEPS[step](facts, fault)}
<p><a href="${pageAddress(facts.id, 'decline')}">Cancel</a></p>`;
  return formPage(title, body);
}

/** The page for a request that cannot be shown. @param back the address that tells the wallet of it */
export function refusalPage({ message, status }: Fault, back?: string): RouteAnswer {
  const title = 'This does not work';
  const link = back === undefined ? undefined : html`<a class="main" href="${back}">Back to ${destinationOf(back)}</a>`;
  return formPage(title, html`<h1>${title}</h1>${faultOf(message)}${link}`, status);
}

/** What a page shows after its code was exchanged. */
export function spentPage(): RouteAnswer {
  const title = 'Your wallet goes on';
  return formPage(title, html`<h1>${title}</h1><p>You have agreed. You can close this page.</p>`);
}

/** The last page, for browsers that do not say where they come from, or come back. */
export function leavingPage(address: string): RouteAnswer {
  const title = 'Back to your wallet';
  return formPage(
    title,
    html`<h1>${title}</h1><p>Go on only if you came from there.</p><a class="main" href="${address}">Open ${destinationOf(address)}</a>`,
  );
}

const faultOf = (message: string): Html => html`<p class="fault" role="alert" id="fault">${message}</p>`;

function about({ issuerName, credentialName, claims, redirectUri }: PageFacts): Html {
  const shown = claims.slice(0, MAX_CLAIMS).map((claim) => html`<li>${claim}</li>`);
  const more = claims.length > MAX_CLAIMS ? html`<li>and ${String(claims.length - MAX_CLAIMS)} more</li>` : undefined;
  return html`<section><p><strong>${issuerName}</strong> issues the credential <strong>${credentialName}</strong> to you. It contains:</p>
<ul>${shown}${more}</ul>
<p>At the end, your browser opens <strong>${destinationOf(redirectUri)}</strong>, which then gets the credential. Go on only if
you came from there.</p></section>`;
}

/** The host of a page, or the scheme of an app. */
function destinationOf(address: string): string {
  const { protocol, host } = new URL(address);
  return protocol === 'https:' ? host : `the app for ${protocol} links`;
}

const described = (fault: string | undefined): Html | undefined =>
  fault === undefined ? undefined : html` aria-invalid="true" aria-describedby="fault"`;

const STEPS: Readonly<Record<Step, (facts: PageFacts, fault?: string) => Html>> = {
  email: ({ id, mails, email }, fault) => html`<form method="post" action="authorize">
<input type="hidden" name="page" value="${id}"><input type="hidden" name="mails" value="${String(mails)}">
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" maxlength="254" autocomplete="email" required autofocus value="${email}"${described(fault)}>
<button class="main">Mail me a code</button></form>`,
  code: (
    { id, email },
    fault,
  ) => html`${email === '' ? undefined : html`<p>A code was mailed to <strong>${email}</strong>. It can be used for ten minutes.</p>`}
<form method="post" action="authorize"><input type="hidden" name="page" value="${id}">
<label for="code">Code from the e-mail (six digits)</label>
<input id="code" name="code" inputmode="numeric" pattern="\\s*([0-9]\\s*){6}" autocomplete="one-time-code" required autofocus${described(fault)}>
<button class="main">Log in</button></form>
<p><a href="${pageAddress(id, 'again')}">Use another address, or get another code</a></p>`,
  agree: ({ id, redirectUri }) => html`<p>You are logged in.</p>
<a class="main" href="${pageAddress(id, 'agree')}" rel="nofollow">Agree, and open ${destinationOf(redirectUri)}</a>`,
};
