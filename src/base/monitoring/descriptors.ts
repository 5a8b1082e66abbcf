// The file descriptors of this process: each connection, file and pipe takes one of a limited number.
import { readdirSync, readFileSync } from 'node:fs';

/** How many this process may have open; infinite if that is unlimited or not known. (Node raises it to the hard limit when it starts.) */
export function descriptorLimit(): number {
  const limit = Number(fromProc() ?? fromReport());
  return Number.isFinite(limit) ? limit : Number.POSITIVE_INFINITY;
}

/** How many this process has open; 0 if that is not known. */
export function openDescriptors(): number {
  try {
    return readdirSync('/dev/fd').length;
  } catch {
    return 0;
  }
}

/** Linux. */
function fromProc(): string | undefined {
  try {
    return /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** macOS and others; a report takes some milliseconds. */
function fromReport(): unknown {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  return userLimits?.open_files?.soft;
}
