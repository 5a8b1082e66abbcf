// Reads the project's Markdown pages: their links, headings and prose, for tests that hold the documentation to the code.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', 'data', 'coverage', 'secrets']);

/** Every Markdown page of the project, as paths from its root. */
export function markdownPages(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : markdownPages(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** A page without its code blocks. */
export const proseOf = (page: string): string => readFileSync(page, 'utf8').replace(/^( *)```[\s\S]*?^\1```$/gm, '');

/** The anchors that a code host makes of a page's headings. */
export function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A link to a file of the project: the file, and the heading that the link names. */
export interface Link {
  page: string;
  written: string;
  target: string;
  anchor: string | undefined;
}

/** The relative links of a page, and those to its own headings. */
export function linksOf(page: string): Link[] {
  const written = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return written
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      return { page, written: link, target, anchor };
    });
}
