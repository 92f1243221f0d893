import { join } from 'node:path'
import { root } from './checkout.mjs'
import { bin, runCheck } from './suites.mjs'

const node = process.execPath
/** Only what changed is checked again. */
const incremental = ['--incremental', '--tsBuildInfoFile', join(root, '.cache', 'types.tsbuildinfo')]

/** What is checked without running the code, at the same time: types, style, unused code. */
export function staticChecks() {
  return [
    runCheck('types', node, [bin('typescript/bin/tsc'), '--noEmit', ...incremental]),
    runCheck('lint and format', node, [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
    runCheck('no unused files, exports or dependencies', node, [bin('knip/bin/knip.js')]),
  ]
}
