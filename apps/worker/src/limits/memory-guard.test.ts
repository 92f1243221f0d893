import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { MemoryGuard } from './memory-guard.ts'
import { type MemoryUse, readMemoryUse } from './memory-use.ts'

const MIB = 1 << 20
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function cgroup(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'tapdeck-cgroup-'))
  folders.push(root)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), `${text}\n`)
  }
  return root
}

describe('the memory in use', () => {
  test('is read from cgroup version 2, without the page cache', () => {
    const root = cgroup({
      'memory.max': String(100 * MIB),
      'memory.current': String(80 * MIB),
      'memory.stat': `anon 1\ninactive_file ${30 * MIB}\nactive_file ${10 * MIB}`,
    })
    expect(readMemoryUse(root)).toEqual({ limitBytes: 100 * MIB, usedBytes: 40 * MIB })
  })

  test('is read from cgroup version 1', () => {
    const root = cgroup({
      'memory/memory.limit_in_bytes': String(100 * MIB),
      'memory/memory.usage_in_bytes': String(80 * MIB),
      'memory/memory.stat': `inactive_file 5\ntotal_inactive_file ${20 * MIB}\ntotal_active_file 0`,
    })
    expect(readMemoryUse(root)).toEqual({ limitBytes: 100 * MIB, usedBytes: 60 * MIB })
  })

  test.each([
    ['no cgroup files', {}],
    ['no limit in version 2', { 'memory.max': 'max', 'memory.current': '5' }],
    ['no limit in version 1', { 'memory/memory.limit_in_bytes': '9223372036854771712' }],
    ['damaged files', { 'memory.max': 'x', 'memory.current': '' }],
  ])('is unknown with %s', (_, files) => {
    expect(readMemoryUse(cgroup(files))).toBeUndefined()
  })
})

describe('indexing', () => {
  const guard = () => {
    const use = { limitBytes: 100 * MIB, usedBytes: 0 }
    return { use, guard: new MemoryGuard(() => use) }
  }

  test('pauses above nine tenths of the limit, and names the reason', () => {
    const { use, guard: memory } = guard()
    use.usedBytes = 90 * MIB
    expect(memory.mayIndex(0)).toBe(true)
    expect(memory.reason).toBeUndefined()
    use.usedBytes = 91 * MIB
    expect(memory.mayIndex(1000)).toBe(false)
    expect(memory.reason).toContain('91 MiB of 100 MiB')
  })

  test('resumes when there is memory again and some time has passed', () => {
    const { use, guard: memory } = guard()
    use.usedBytes = 95 * MIB
    memory.mayIndex(0)
    use.usedBytes = 80 * MIB
    expect(memory.mayIndex(100_000)).toBe(false)
    use.usedBytes = 50 * MIB
    expect(memory.mayIndex(1000)).toBe(false)
    expect(memory.mayIndex(100_000)).toBe(true)
    expect(memory.reason).toBeUndefined()
  })

  test('resumes later each time, if memory is full again soon', () => {
    const { use, guard: memory } = guard()
    let now = 0
    const waits: number[] = []
    for (let round = 0; round < 6; round++) {
      use.usedBytes = 95 * MIB
      expect(memory.mayIndex(now)).toBe(false)
      use.usedBytes = 50 * MIB
      const paused = now
      while (!memory.mayIndex(now)) now += 1000
      waits.push(now - paused)
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits.at(-1)).toBe(600_000)
  })

  test('always runs where there is no limit, or no more', () => {
    let use: MemoryUse | undefined = { limitBytes: 100 * MIB, usedBytes: 95 * MIB }
    const memory = new MemoryGuard(() => use)
    expect(memory.mayIndex(0)).toBe(false)
    use = undefined
    expect(memory.mayIndex(1000)).toBe(true)
    expect(memory.reason).toBeUndefined()
  })
})
