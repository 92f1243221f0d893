import { bin, runCheck } from './suites.mjs'

const node = process.execPath

/** What is checked without running the code, at the same time: types, style, unused code. */
export function staticChecks() {
  return [
    runCheck('types', node, [bin('typescript/bin/tsc'), '--noEmit']),
    runCheck('lint and format', node, [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
    runCheck('no unused files, exports or dependencies', node, [bin('knip/bin/knip.js')]),
  ]
}
