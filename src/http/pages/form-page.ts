// Pages that are forms and links, without script: their frame, and the policy under which browsers show them.
import { createHash } from 'node:crypto';
import type { RouteAnswer } from '../routes/route.js';

/** HTML, as `html` returns it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | undefined | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** A template of HTML: texts in it are escaped, HTML is not; undefined is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const written = (part: Part): string => {
    if (part === undefined) return '';
    if (part instanceof Html) return part.text;
    return typeof part === 'string' ? escapeHtml(part) : part.map(({ text }) => text).join('');
  };
  return new Html(strings.map((text, at) => text + written(parts[at])).join(''));
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #f2f4f7; --line: #767f8c; --accent: #0b5cad; --on: #fff; --fault: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7ebf0; --paper: #14181e; --soft: #1f252d; --line: #8a94a3; --accent: #7cb8ff; --on: #10151b; --fault: #ff9a92 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 32rem; margin: 0 auto; padding: 2rem 1.25rem }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25 }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
ul { padding-left: 1.25rem }
section { margin: 1rem 0; padding: .25rem 1rem; border-radius: .5rem; background: var(--soft) }
label { display: block; margin: 1.25rem 0 .25rem; font-weight: 600 }
input { width: 100%; padding: .65rem .75rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); color: var(--ink); font: inherit }
.main { display: block; width: 100%; margin: 1rem 0; padding: .75rem 1rem; border: 0; border-radius: .4rem; background: var(--accent); color: var(--on); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer }
.fault { color: var(--fault); font-weight: 600 }
`;

/** No script, nothing from elsewhere, no frames; forms are sent to the gateway alone. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The response with a page. */
export function formPage(title: string, body: Html, status = 200): RouteAnswer {
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style></head><body><main>${body}</main></body></html>`;
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' },
    body: page.text,
  };
}
