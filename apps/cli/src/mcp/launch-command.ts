import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The start script of a checkout, and the bundle of the command line: next to the bundle that runs. */
const candidates = ['../scripts/tapdeck.mjs', './tapdeck.mjs']

/** How to start this command line from any folder, by absolute paths. `base`: where the running bundle is. */
export function launchCommand(base = import.meta.url): { readonly command: string; readonly args: string[] } {
  const script = candidates.map((path) => fileURLToPath(new URL(path, base))).find((path) => existsSync(path))
  return { command: process.execPath, args: [script ?? process.argv[1]!] }
}
