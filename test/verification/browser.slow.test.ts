// The holder's side in a browser: the bundle of examples/browser, in Chromium, under a strict Content-Security-Policy. The gateway accepts
// what its worker proves. Skipped where no Chromium is installed (`apt-get install chromium`, or CHROMIUM=<path>).
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveCak } from '../../src/zk/cak.js';
import { fromBase64url, type ProofSecrets } from '../../src/zk/index.js';
import { CHROMIUM, type FolderServer, openPage, serveFolder, startChromium } from '../support/chromium.js';
import {
  answerTo,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  putProgram,
  requestOf,
  startOf,
  startWorld,
  termsOf,
  type World,
} from './world.js';

/** Nothing but the page's own files; of evaluation, WASM alone. */
const POLICY = "default-src 'none'; connect-src 'self'; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const PROGRAM = 'browser';

if (CHROMIUM === undefined) console.warn('No Chromium is installed: proofs in a browser are not tested.');

describe.skipIf(CHROMIUM === undefined)('A page of a holder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  const servers: FolderServer[] = [];
  let world: World;
  let holder: Holder;
  let credential: HeldCredential;
  let browser: Browser;
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, ['tools/bundle-browser.mjs', folder]);
    world = await startWorld();
    holder = await holderOf(world, 'browser@example.org');
    credential = await issueTo(world, holder);
    // One of each kind of statement: a range, a list, an inequality, and a disclosed value.
    await putProgram(world, PROGRAM, ['level >= 3', 'note in ["gold", "silver"]', 'since exists']);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
    await world?.gateway.close();
  });

  /** The page under a policy, what it asked of its server, and what the policy refused. */
  async function open(policy: string): Promise<{ page: Page; server: FolderServer; refused: string[] }> {
    const server = await serveFolder(folder, policy);
    servers.push(server);
    const page = await openPage(browser);
    const refused: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && refused.push(message.text())));
    await page.goto(server.url);
    return { page, server, refused };
  }

  /** Calls a function that the page exports; imported by a text, because vitest rewrites imports. */
  const call = async (page: Page, name: string, ...args: unknown[]): Promise<unknown> => {
    const functions = await page.evaluateHandle<Record<string, (...args: unknown[]) => unknown>>("import('/page.js')");
    return functions.evaluate((all, [which, given]) => all[which]?.(...given), [name, args] as const);
  };

  const secretsOf = ({ coreClaimHash, claim, zk }: HeldCredential): ProofSecrets => {
    const { schemaId, schemaVersion } = zk;
    const { credentialSubject } = claim;
    const signature = fromBase64url(zk.signature) ?? new Uint8Array();
    return { claim: { coreClaimHash, schemaId, schemaVersion, credentialSubject }, signature };
  };

  async function asked() {
    const id = await startOf(world, { programId: PROGRAM });
    const { body } = await requestOf(world, holder, id);
    return { id, request: body, terms: await termsOf(world, body, credential) };
  }

  it('a page explains and derives keys without loading the library, and proves with it', async () => {
    const { page, server, refused } = await open(POLICY);
    expect(server.asked).toEqual(['/', '/page.js']);

    const { id, request, terms } = await asked();
    const claim = { credentialId: 'member', credentialSubject: credential.claim.credentialSubject };
    const explained = await call(page, 'explain', request, claim, Date.parse(request.challenge.now));
    expect(explained).toMatchObject([{ credentialId: 'member', met: true }]);
    const accountKey = new Uint8Array(32).fill(7);
    const purpose = { curve: 'secp256k1', holderDid: 'did:a:b', issuerDid: world.issuerDid, schemaId: 's' } as const;
    expect(await call(page, 'deriveCak', accountKey, purpose)).toEqual(deriveCak(accountKey, purpose));
    expect(server.asked).toEqual(['/', '/page.js', '/worker.js']);

    const { coreClaimHash } = credential;
    const proof = (await call(page, 'prove', terms, secretsOf(credential))) as object;
    expect(server.asked.filter((path) => path.endsWith('.wasm'))).toHaveLength(1);
    expect(refused).toEqual([]);
    const { body } = await answerTo(world, holder, id, { coreClaimHash, ...proof });
    expect(body).toEqual({ result: { status: 'Pending' } });
  });

  it('a page gets an error for a claim that does not meet the conditions, and its worker continues', async () => {
    const { page } = await open(POLICY);
    const { terms } = await asked();
    const { claim, signature } = secretsOf(credential);
    const low = { claim: { ...claim, credentialSubject: { ...claim.credentialSubject, level: 2 } }, signature };
    await expect(call(page, 'prove', terms, low)).rejects.toThrow('does not meet the conditions');
    expect(await call(page, 'prove', terms, secretsOf(credential))).toHaveProperty('presentation');
  });

  it('a page cannot prove under a policy without wasm-unsafe-eval', async () => {
    const { page } = await open(POLICY.replace(" 'wasm-unsafe-eval'", ''));
    const { terms } = await asked();
    await expect(call(page, 'prove', terms, secretsOf(credential))).rejects.toThrow(
      /Content Security Policy|WebAssembly/,
    );
  });
});
