// The back end of an issuer, like those that such networks have deployed: a server that responds 201 to every POST,
// checks its x-api-key, signs claims with iden3's libraries, sends partner tokens without a scope, and stores what it
// issues through dstorage/vcs.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { TestGateway } from './gateway.js';
import { encrypt } from './holder-device.js';
import { claimAbout, idOfDid } from './iden3.js';

const API_KEY = 'api-key-of-the-issuer';

/** A request that the gateway sends. */
export interface IssuerRequest {
  path: string;
  idempotencyKey: string;
  body: {
    holderDID: string;
    pubKey: string;
    userId: string;
    schemaId?: string;
    proofType?: string;
    signingKey?: { jwk: Record<string, string> };
  };
}

export interface DeployedIssuer {
  issuerId: string;
  schemaId: string;
  requests: IssuerRequest[];
  close(): Promise<void>;
}

/** Starts the back end and registers a partner that sends no scope, an issuer with endpoints, and a schema. */
export async function startDeployedIssuer(gateway: TestGateway): Promise<DeployedIssuer> {
  const issuer = new BackEnd(gateway);
  const { url, close } = await issuer.listen();
  await issuer.register(url);
  return { issuerId: issuer.id, schemaId: issuer.schemaId, requests: issuer.requests, close };
}

class BackEnd {
  readonly id = `deployed-${randomUUID().slice(0, 8)}`;
  readonly schemaId = `${this.id}-schema`;
  readonly requests: IssuerRequest[] = [];
  readonly #partnerId = randomUUID();
  readonly #keys = generateKeyPair('ES256', { extractable: true });

  constructor(private readonly gateway: TestGateway) {}

  async listen() {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const close = () => new Promise<void>((done) => server.close(() => done()));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
  }

  async register(url: string): Promise<void> {
    const jwk = { ...(await exportJWK((await this.#keys).publicKey)), kid: 'k1' };
    const partner = { name: this.id, jwks: { keys: [jwk] }, scopes: ['issue'], requireScope: false };
    const issuer = {
      name: this.id,
      issuerFrom: 'test',
      issuerDid: `did:web:${this.id}.example`,
      availableVcUrl: `${url}/available-vc`,
      issueVcUrl: `${url}/issue-vc`,
      apiKey: API_KEY,
    };
    const dataPoints = [{ name: 'level', type: 'integer', isRequired: true, description: '' }];
    const schema = { title: this.id, description: '', dataPoints };
    for (const [path, body] of [
      [`partners/${this.#partnerId}`, partner],
      [`issuers/${this.id}`, issuer],
      [`schemas/${this.schemaId}`, schema],
    ] as const) {
      const answer = await this.gateway.admin('PUT', `/v1/admin/${path}`, { body });
      if (answer.status !== 200) throw new Error(`${path} was refused: ${JSON.stringify(answer.body)}`);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const at: IssuerRequest = {
      path: request.url ?? '',
      idempotencyKey: String(request.headers['idempotency-key']),
      body: JSON.parse(Buffer.concat(chunks).toString()),
    };
    this.requests.push(at);
    if (request.headers['x-api-key'] !== API_KEY) return void response.writeHead(401).end();
    try {
      const body = at.path === '/available-vc' ? this.#previews(at) : await this.#issue(at);
      response.writeHead(201, { 'content-type': 'application/json' }).end(body);
    } catch (error) {
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message: String(error) }));
    }
  }

  #previews({ body: { holderDID, pubKey } }: IssuerRequest): string {
    const { data, iv, authTag, encryptedKey } = encrypt(JSON.stringify({ level: 3 }), pubKey);
    const credentialSubject = { encryptedData: data, iv, authTag, dataEncPublicKey: encryptedKey };
    return JSON.stringify({ data: [{ holderDID, schemaId: this.schemaId, credentialSubject }] });
  }

  /**
   * Issues a claim about the holder's id and the credential, bound to the holder's signing key. It is stored once for
   * each idempotency-key.
   */
  async #issue({ body, idempotencyKey }: IssuerRequest): Promise<string> {
    const claim = claimAbout(idOfDid(body.holderDID));
    const cnf = body.signingKey === undefined ? {} : { cnf: body.signingKey };
    const credential = { claim: claim.hex(), subject: claim.getIndexId().string(), level: 3, ...cnf };
    const stored = await this.gateway.rest('POST', '/v1/dstorage/vcs', {
      body: {
        holderDid: body.holderDID,
        schemaId: body.schemaId,
        ...(body.proofType === undefined ? {} : { proofType: body.proofType }),
        expiresAt: null,
        ...encrypt(JSON.stringify(credential), body.pubKey),
        externalId: idempotencyKey,
      },
      headers: { 'x-partner-auth': await this.#token() },
    });
    if (stored.status !== 201) throw new Error(`dstorage/vcs answered ${stored.status}`);
    return '';
  }

  async #token(): Promise<string> {
    const header = { alg: 'ES256', typ: 'JWT', kid: 'k1' };
    const token = new SignJWT({ partnerId: this.#partnerId }).setProtectedHeader(header).setExpirationTime('5m');
    return token.sign((await this.#keys).privateKey);
  }
}
