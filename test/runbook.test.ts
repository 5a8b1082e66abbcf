// docs/runbook.md: whoever is called by an alert finds its section, and sentences of failed starts are those of the program.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PART_NAMES } from '../src/base/monitoring/problem-kinds.js';
import { sourceFiles } from './support/imports.js';
import { anchorsOf } from './support/markdown.js';

const PAGE = 'docs/runbook.md';
const page = readFileSync(PAGE, 'utf8');
const anchors = anchorsOf(PAGE);

/** The alerts of the rules, with the link of each. */
const alerts = readFileSync('deploy/alerts.yml', 'utf8')
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', link: /^ +runbook_url: '?([^'\n]+)'?$/m.exec(text)?.[1] }));

it('every alert links to a section of the runbook that is there', () => {
  expect(alerts.length).toBeGreaterThan(15);
  const links = alerts.flatMap(({ link = 'none' }) =>
    link.includes('{{ $labels.part }}') ? PART_NAMES.map((part) => link.replace('{{ $labels.part }}', part)) : [link],
  );
  expect(links.filter((link) => !anchors.some((anchor) => link === `${PAGE}#${anchor}`))).toEqual([]);
});

it('every alert has its own section, or that of its part', () => {
  const own = alerts.filter(({ link }) => !link?.includes('$labels.part')).map(({ name }) => name);
  expect(own.length).toBe(alerts.length - 3);
  expect(own.filter((name) => !page.includes(`\n### ${name}\n`))).toEqual([]);
});

it('every section says what people notice, why, what to do, and how to see that it worked', () => {
  const sections = page.split(/^#{2,3} |^\*\*/m).filter((section) => section.includes('- People notice:'));
  expect(sections.length).toBeGreaterThan(35);
  const lacking = sections.filter(
    (section) => !/notice: \S[\s\S]*^- Why: \S[\s\S]*^- Do: \S[\s\S]*^- It worked: \S/m.test(section),
  );
  expect(lacking).toEqual([]);
});

it('the sentences of failed starts are those of the program', () => {
  const source = sourceFiles('src')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const table = page.slice(page.indexOf('## Failed starts'), page.indexOf('## A full disk'));
  const sentences = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, sentence = '']) => sentence);
  expect(sentences.length).toBeGreaterThan(10);
  expect(sentences.filter((sentence) => !source.includes(sentence))).toEqual([]);
});
