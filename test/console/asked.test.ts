// Every mutation that the console sends, with what it revokes, replaces or deletes, and how a person is asked before.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCES = 'src/console';

/** `asked`: by a question that is confirmed. `typed`: by typing a number or an id. `chosen`: by a choice whose default harms nobody. */
const MUTATIONS: Readonly<Record<string, 'nothing' | 'asked' | 'typed' | 'chosen'>> = {
  // What they write is new, or is done once more.
  NewKey: 'nothing',
  AddWebhook: 'nothing',
  PingWebhook: 'nothing',
  Redeliver: 'nothing',
  RetryBatch: 'nothing',
  RetryJob: 'nothing',
  // Deliveries wait until it is resumed.
  PauseWebhook: 'nothing',
  ResumeWebhook: 'nothing',
  PreviewRevocation: 'nothing',
  // Only the version that was read is replaced, by what the form shows.
  PutIssuer: 'nothing',
  PutVerifier: 'nothing',
  PutSchema: 'nothing',
  PutCredential: 'nothing',
  PutProgram: 'nothing',
  PutPartner: 'nothing',
  // A credential that the recipient has.
  IssueOne: 'chosen',
  StartBatch: 'chosen',
  // What is gone afterwards.
  RevokeOne: 'asked',
  ConfirmRevocation: 'typed',
  EraseHolder: 'typed',
  CancelBatch: 'asked',
  RemoveWebhook: 'asked',
  RetireIssuer: 'asked',
  RetireVerifier: 'asked',
  RetireSchema: 'asked',
  RetireCredential: 'asked',
  RetireProgram: 'asked',
  RetirePartner: 'asked',
  GiveUpJob: 'asked',
  RotateKey: 'asked',
  WithdrawKey: 'asked',
};

/** The sources of the views, by their paths. */
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => [name, readFileSync(join(SOURCES, name), 'utf8')] as const);

const texts = Object.values(
  JSON.parse(readFileSync(`${SOURCES}/api/generated/persisted-documents.json`, 'utf8')) as Record<string, string>,
);
const sent = texts.flatMap((text) => /^mutation (\w+)|\bmutation (\w+)/.exec(text)?.slice(1).filter(Boolean) ?? []);

describe('What the console does with a person’s click', () => {
  it('every mutation is in the table of what it takes away', () => {
    expect([...sent].sort()).toEqual(Object.keys(MUTATIONS).sort());
  });

  it.each(Object.keys(MUTATIONS).filter((name) => MUTATIONS[name] === 'asked'))(
    '%s is sent behind a question',
    (name) => {
      // Entries are retired by one view, through the table of forms.
      const using = name.startsWith('Retire')
        ? sources.filter(([path]) => path.endsWith('retirement.tsx'))
        : sources.filter(([, text]) => text.includes(`useAction(${name}Document)`));
      expect(using.length).toBeGreaterThan(0);
      for (const [path, text] of using) expect([path, text.includes('confirm(')]).toEqual([path, true]);
    },
  );

  it.each(Object.keys(MUTATIONS).filter((name) => MUTATIONS[name] === 'chosen'))(
    '%s leaves a recipient what it has, unless that is chosen',
    (name) => {
      const using = sources.filter(([, text]) => text.includes(`useAction(${name}Document)`));
      expect(using.length).toBeGreaterThan(0);
      for (const [path, text] of using) {
        expect([path, /useState<OnDuplicate>\('REVOKE'\)|onDuplicate: 'REVOKE'/.test(text)]).toEqual([path, false]);
        expect([path, /onDuplicate: 'IGNORE'|useState<ChoiceName>\('keep'\)/.test(text)]).toEqual([path, true]);
      }
    },
  );
});
