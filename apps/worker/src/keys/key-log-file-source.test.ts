import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyLogFileSource } from './key-log-file-source.ts'
import type { CapturedSecret } from './key-source.ts'

let folder: string
let source: KeyLogFileSource | undefined
let found: CapturedSecret[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-keys-'))
  found = []
})
afterEach(() => {
  source?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A key log line that is different for each number. */
function line(number: number): string {
  const random = number.toString(16).padStart(64, '0')
  return `CLIENT_RANDOM ${random} ${'ab'.repeat(48)}`
}

function follow(path: string, maxBacklog?: number): KeyLogFileSource {
  source = new KeyLogFileSource([path], maxBacklog)
  source.start((secret) => found.push(secret))
  return source
}

async function expectLines(lines: readonly string[]): Promise<void> {
  await expect.poll(() => found.map((secret) => secret.line), { timeout: 10_000 }).toEqual(lines)
}

describe('KeyLogFileSource', () => {
  it('reads a file that appears later, and each line once', async () => {
    const file = join(folder, 'keys.log')
    follow(file)
    writeFileSync(file, `# a comment\n${line(1)}\n`)
    await expectLines([line(1)])
    appendFileSync(file, `${line(2)}\n${line(3)}\n`)
    await expectLines([line(1), line(2), line(3)])
    expect(found[0]).toMatchObject({ source: 'key_log_file' })
    expect(source!.status()).toMatchObject({ secrets: 3, badLines: 0, files: 1 })
  })

  it('waits for the end of a line, and counts bad ones', async () => {
    const file = join(folder, 'keys.log')
    const text = `${line(1)}\n`
    writeFileSync(file, text.slice(0, 40))
    follow(file)
    appendFileSync(file, text.slice(40))
    await expectLines([line(1)])
    appendFileSync(file, `CLIENT_RANDOM 12 34\n${'x'.repeat(10_000)}\n${line(2)}\n`)
    await expectLines([line(1), line(2)])
    expect(source!.status()).toMatchObject({ badLines: 2 })
  })

  it('reads a rotated file to its end, and then the new one', async () => {
    const file = join(folder, 'keys.log')
    writeFileSync(file, `${line(1)}\n`)
    follow(file)
    await expectLines([line(1)])
    renameSync(file, join(folder, 'old'))
    appendFileSync(join(folder, 'old'), `${line(2)}\n`)
    writeFileSync(file, `${line(3)}\n`)
    await expectLines([line(1), line(2), line(3)])
  })

  it('begins anew after truncation', async () => {
    const file = join(folder, 'keys.log')
    writeFileSync(file, `${line(1)}\n${line(2)}\n`)
    follow(file)
    await expectLines([line(1), line(2)])
    truncateSync(file)
    appendFileSync(file, `${line(3)}\n`)
    await expectLines([line(1), line(2), line(3)])
  })

  it('follows all files of a folder, but no link and no pipe', async () => {
    const logs = join(folder, 'logs')
    mkdirSync(logs)
    writeFileSync(join(folder, 'elsewhere'), `${line(9)}\n`)
    symlinkSync(join(folder, 'elsewhere'), join(logs, 'link'))
    execFileSync('mkfifo', [join(logs, 'pipe')])
    writeFileSync(join(logs, 'a'), `${line(1)}\n`)
    follow(logs)
    await expectLines([line(1)])
    writeFileSync(join(logs, 'b'), `${line(2)}\n`)
    await expectLines([line(1), line(2)])
    rmSync(join(logs, 'a'))
    await expect.poll(() => source!.status().files).toBe(1)
  })

  it('reads only the end of a large file, and reports this', async () => {
    const file = join(folder, 'keys.log')
    writeFileSync(file, `${line(1)}\n${'#'.repeat(99)}\n`)
    truncateSync(file, 20_000)
    appendFileSync(file, `\n${line(2)}\n`)
    follow(file, 10_000)
    await expectLines([line(2)])
    expect(source!.status().reason).toMatch(/were skipped/)
  })

  it('reports a file that cannot be read, and passes nothing on after the stop', async () => {
    const file = join(folder, 'keys.log')
    symlinkSync(file, file)
    follow(file)
    expect(source!.status().reason).toMatch(/cannot be read: ELOOP/)
    rmSync(file)
    writeFileSync(file, `${line(1)}\n`)
    await expectLines([line(1)])
    expect(source!.status().reason).toBeUndefined()
    source!.stop()
    expect(source!.status().files).toBe(0)
  })
})
