// The order of the files of a run: vitest's, after the small files that take long.
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Small files that take minutes, longest first. Without results of an earlier run, vitest begins with the largest file: a worker would
 * begin one of these late, and end with it alone while the others have nothing left.
 */
const LONGEST = ['test/store/long-collections.slow.test.ts', 'test/hostile/operations.slow.test.ts'];

/** Begins with the longest files. @throws Error in `sort` if one of them does not exist. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter((file) => !existsSync(file));
    if (gone.length > 0) throw new Error(`test/support/longest-first.ts names files that do not exist: ${gone}`);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
