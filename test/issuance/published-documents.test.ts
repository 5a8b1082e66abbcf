// Every published schema document that imports can be issued under.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerPartner, type TestPartner } from '../support/partner.js';
import { subjectOf } from '../support/subject-of.js';

const FOLDER = join(import.meta.dirname, '../../../shared/data/schemas');
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : [];

describe.skipIf(files.length === 0)(
  'under a published document a credential is issued (skipped where ../shared/data/schemas is absent)',
  () => {
    let gateway: TestGateway;
    let partner: TestPartner;
    let issuerDid: string;
    const total = { imported: 0, issued: 0 };
    beforeAll(async () => {
      gateway = await startGateway({ env: { ZK: 'off' } });
      const issuer = { name: 'I', issuerFrom: 'test', managed: true };
      issuerDid = (await gateway.admin('PUT', '/v1/admin/issuers/i', { body: issuer })).body.issuerDid;
      partner = await registerPartner(gateway, [issuerDid]);
    });
    afterAll(() => {
      console.info(`${files.length} published documents: ${total.imported} imported, ${total.issued} issued`);
      return gateway.close();
    });

    it.each(files)('a credential on a published document is issued: %s', async (file) => {
      const document = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
      const put = (path: string, body: object) => gateway.admin('PUT', `/v1/admin/${path}`, { body });
      const schema = await put(`schemas/${encodeURIComponent(file)}`, { jsonSchema: document });
      expect(schema.body).toMatchObject({ schemaId: file });
      total.imported += 1;
      const credential = { name: file, category: 'Test', issuerId: 'i', schemaId: file };
      expect((await put(`credentials/${encodeURIComponent(file)}`, credential)).status).toBe(200);
      const credentialSubject = subjectOf(document, schema.body.dataPoints[0].name);
      const body = { issuerDid, credentialId: file, credentialSubject, email: 'ada@example.org' };
      const issue = (of: object) => partner.rest('POST', '/v1/credentials/issue-on-behalf', of);
      const issued = await issue(body);
      expect(issued.body).toEqual({
        coreClaimHash: expect.any(String),
        credentialId: file,
        userUuid: expect.any(String),
      });
      total.issued += 1;
      // The document is asked: what it cannot allow is refused.
      const refused = await issue({ ...body, credentialSubject: { ...credentialSubject, 'not in any document': 1 } });
      expect(refused.status).toBe(400);
    });
  },
);
