// `examples/offer.mjs` as a partner runs it: a wallet takes what it prints.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../support/gateway-process.js';
import { fileEnd, scratchFolder, startProcess } from '../support/process.js';
import { SpecWallet } from '../wallets/wallet.js';

const { atEnd, end } = fileEnd();
const dataDir = join(scratchFolder(atEnd), 'data');
let url: string;
beforeAll(async () => {
  const [port] = await freePorts(1);
  const env = { DATA_DIR: dataDir, PORT: String(port), PUBLIC_URL: `http://localhost:${port}` };
  ({ url } = await startProcess(env, [], atEnd));
});
afterAll(end);

/** The text in a QR code of half blocks: each is two dots, one above the other. */
function textOfCode(lines: readonly string[]): string {
  const scale = 4;
  const dots = lines.flatMap((line) => {
    const rows = [...line].map((half) => [half === ' ' || half === '▄', half === ' ' || half === '▀']);
    return [rows.map(([top]) => top), rows.map(([, bottom]) => bottom)];
  });
  const [width, height] = [(dots[0]?.length ?? 0) * scale, dots.length * scale];
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const isDark = dots[Math.floor(at / width / scale)]?.[Math.floor((at % width) / scale)];
    data.fill(isDark ? 0 : 255, at * 4, at * 4 + 3).fill(255, at * 4 + 3, at * 4 + 4);
  }
  return decodeQR({ width, height, data });
}

it('offers by a QR code and its text, and ends when the wallet has the credential', async () => {
  const child = spawn(process.execPath, ['examples/offer.mjs', url, dataDir]);
  let [printed, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = once(child, 'close');
  await expect.poll(() => `${printed}${errors}`).toMatch(/"expiresAt": .+\n\}|Error/);
  const [uri = errors] = /openid-credential-offer:\S+/.exec(printed) ?? [];
  const code = printed.split('\n').filter((line) => /^[█▀▄ ]+$/.test(line));
  expect(textOfCode(code)).toBe(uri);
  const root = await (await fetch(`${url}/v1/sandbox/root.pem`)).text();
  const wallet = new SpecWallet({ roots: [new X509Certificate(root)] });
  await wallet.take(uri, /"code": "(\d{6})"/.exec(printed)?.[1]);
  expect(wallet.credentials[0]?.claims).toMatchObject({ degree: 'MSc', gradeAverage: 1.7 });
  expect(await ended).toEqual([0, null]);
  expect([printed.slice(printed.indexOf('\nissued\n')), errors]).toEqual([
    expect.stringMatching(/^\nissued\n\{\n {2}"reason": null,\n {2}"coreClaimHash": "[0-9a-f]{64}"/),
    '',
  ]);
});
