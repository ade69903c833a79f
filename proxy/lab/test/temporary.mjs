// Folders that are gone when the test process ends.

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const folders = [];

process.on('exit', () => {
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true });
  }
});

export function temporaryFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dstap-lab-'));
  folders.push(folder);
  return folder;
}
