// The back end of an issuer that answers for wallets itself (contract §35): a real server, whose answers a test says.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the issuer has seen it. */
export interface Question {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read questions of every shape.
  body: any;
}

export interface AnsweringIssuer {
  url: string;
  asked: Question[];
  /** Status and body of the next answer. */
  answer: (question: Question) => Promise<[status: number, body?: unknown]> | [status: number, body?: unknown];
  close(): Promise<void>;
}

export async function startAnsweringIssuer(): Promise<AnsweringIssuer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const question = { path: request.url ?? '', headers: request.headers, body };
      issuer.asked.push(question);
      const [status, content] = await issuer.answer(question);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(content === undefined ? '' : JSON.stringify(content));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer: AnsweringIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    answer: () => [500],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}
