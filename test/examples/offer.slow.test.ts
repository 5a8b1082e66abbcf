// `examples/offer.mjs` and `examples/present.mjs` as a partner runs them: a wallet takes what is offered, and shows it.
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

const rootOf = async () => new X509Certificate(await (await fetch(`${url}/v1/sandbox/root.pem`)).text());

/** Starts an example. */
function run(example: string) {
  const child = spawn(process.execPath, [`examples/${example}.mjs`, url, dataDir]);
  const program = { printed: '', errors: '', ended: once(child, 'close') };
  child.stdout.on('data', (chunk) => {
    program.printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    program.errors += chunk;
  });
  return program;
}

/** Waits until an example has printed a step; the address that stands above it, as text and as a QR code. */
async function addressOf(program: ReturnType<typeof run>, scheme: string, step: string): Promise<string> {
  await expect.poll(() => program.printed + program.errors).toMatch(new RegExp(`\\n${step}\\n\\{[^}]*\\n\\}|Error`));
  const [uri = program.errors] = new RegExp(`${scheme}:\\S+`).exec(program.printed) ?? [];
  expect(textOfCode(program.printed.split('\n').filter((line) => /^[█▀▄ ]+$/.test(line)))).toBe(uri);
  return uri;
}

it('offers and asks by a QR code and its text, and ends when the wallet has answered', async () => {
  const offering = run('offer');
  const wallet = new SpecWallet({ roots: [await rootOf()] });
  const offer = await addressOf(offering, 'openid-credential-offer', 'offered');
  await wallet.take(offer, /"code": "(\d{6})"/.exec(offering.printed)?.[1]);
  expect(wallet.credentials[0]?.claims).toMatchObject({ degree: 'MSc', gradeAverage: 1.7 });
  expect(await offering.ended).toEqual([0, null]);
  expect([offering.printed.slice(offering.printed.indexOf('\nissued\n')), offering.errors]).toEqual([
    expect.stringMatching(/^\nissued\n\{\n {2}"reason": null,\n {2}"coreClaimHash": "[0-9a-f]{64}"/),
    '',
  ]);

  const asking = run('present');
  await wallet.present(await addressOf(asking, 'openid4vp', 'asked'));
  expect(await asking.ended).toEqual([0, null]);
  expect([asking.printed.slice(asking.printed.indexOf('\nanswered\n')), asking.errors]).toEqual([
    expect.stringMatching(/"status": "(Compliant|Pending)"[^}]*"disclosed": \[\s*"gradeAverage"\s*\]/),
    '',
  ]);
});
