// Token status lists of others' issuers (draft-ietf-oauth-status-list-21): fetched through the guard, checked, decompressed within bounds, and
// cached for as long as they say, at most an hour.
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import { timeFault } from '../common/token-times.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import type { IssuerTrust, WalletIssuerKeys } from '../certificates/issuer-keys.service.js';
import { type Fresh, IssuerReads, requireServed } from '../http/outbound/issuer-reads.js';

export interface StatusListsOptions {
  outbound: GuardedFetch;
  issuerKeys: WalletIssuerKeys;
  clock(): number;
}

/** Where the status of a credential is. */
export interface StatusPlace {
  uri: string;
  idx: number;
}

interface StatusList {
  bits: number;
  bytes: Buffer;
}

const TYPE = 'statuslist+jwt';
const MAX_BYTES = 262_144;
/** The most bytes of a decompressed list: a million places of 8 bits, or 8 million of one. */
const MAX_INFLATED = 1_048_576;
const LONGEST_S = 3_600;
/** For lists that do not say how long they are good. */
const DEFAULT_S = 60;

const content = z.object({
  sub: z.string(),
  iat: z.number(),
  exp: z.number().optional(),
  ttl: z.number().positive().optional(),
  status_list: z.object({ bits: z.union([z.literal(1), z.literal(2), z.literal(4), z.literal(8)]), lst: z.string() }),
});

const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);

/** Reads statuses from others' lists. */
export class RemoteStatusLists {
  /** By issuer: the same address under another issuer is another list, because other keys sign it. */
  readonly #lists: IssuerReads<StatusList>;

  constructor(private readonly options: StatusListsOptions) {
    this.#lists = new IssuerReads(options);
  }

  /**
   * The status at a place: 0 valid, 1 invalid, 2 suspended, others by application; undefined if the issuer has no list there that counts.
   * @throws IssuerUnreachable if it cannot be read in 5 s
   */
  async statusAt({ uri, idx }: StatusPlace, trust: IssuerTrust): Promise<number | undefined> {
    const list = await this.#lists.get(trust.issuerId, uri, (signal) => this.#read(uri, trust, signal));
    if (list === undefined) return undefined;
    const { bits, bytes } = list;
    const byte = bytes[Math.floor((idx * bits) / 8)];
    return byte === undefined ? undefined : (byte >> ((idx * bits) % 8)) & ((1 << bits) - 1);
  }

  /** @throws Error if it cannot be read. */
  async #read(uri: string, trust: IssuerTrust, signal: AbortSignal): Promise<Fresh<StatusList> | undefined> {
    const { outbound, issuerKeys, clock } = this.options;
    const headers = { accept: `application/${TYPE}` };
    const { status, body } = await outbound(uri, { headers, maxBytes: MAX_BYTES, signal });
    requireServed(status);
    const jwt = body.toString().trim();
    const header = decodeProtectedHeader(jwt);
    const text = status === 200 && header.typ === TYPE ? await issuerKeys.verified(jwt, header, trust) : undefined;
    const { sub, iat, exp, ttl, status_list: list } = content.parse(JSON.parse(text ?? ''));
    const now = clock();
    if (sub !== uri || timeFault({ exp, iat }, now)) return undefined;
    const bytes = await decompress(Buffer.from(list.lst, 'base64url'), { maxOutputLength: MAX_INFLATED });
    const seconds = Math.min(ttl ?? DEFAULT_S, LONGEST_S, (exp ?? Number.POSITIVE_INFINITY) - now / 1_000);
    return { value: { bits: list.bits, bytes }, size: bytes.length, goodForMs: seconds * 1_000 };
  }
}
