import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { productionPackages } from './production-packages.mjs'

const packages = ['@duckdb/node-bindings', 'koffi', '@jitl/quickjs-wasmfile-release-sync']
const architecture = process.arch === 'x64' ? 'amd64' : 'arm64'

it.runIf(process.platform === 'linux')('every package of the image loads from its files alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-packages-test-'))
  try {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    for (const { path, content, mode } of productionPackages(root, packages, { architecture })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content ?? '', { mode })
    }
    const script = join(folder, 'load.mjs')
    const imports = packages.map((name) => `await import(${JSON.stringify(name)})`)
    writeFileSync(script, `${imports.join('\n')}\nconsole.log('loaded')\n`)
    expect(execFileSync(process.execPath, [script], { encoding: 'utf8' })).toBe('loaded\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
