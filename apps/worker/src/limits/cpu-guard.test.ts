import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { CpuGuard } from './cpu-guard.ts'
import { type CpuUse, readCpuUse } from './cpu-use.ts'

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

describe('the CPU limit', () => {
  const stat = 'nr_periods 50\nnr_throttled 20\nthrottled_time 1'

  test('is read from cgroup version 2', () => {
    const root = cgroup({ 'cpu.max': '25000 50000', 'cpu.stat': `usage_usec 9\n${stat}` })
    expect(readCpuUse(root)).toEqual({ limitCores: 0.5, periods: 50, throttled: 20 })
  })

  test('is read from cgroup version 1', () => {
    const files = { 'cpu/cpu.cfs_quota_us': '40000', 'cpu/cpu.cfs_period_us': '20000', 'cpu/cpu.stat': stat }
    expect(readCpuUse(cgroup(files))).toEqual({ limitCores: 2, periods: 50, throttled: 20 })
  })

  test('is that of the own group, where controllers share a folder', () => {
    const files = {
      'cpu/pod/cpu.cfs_quota_us': '10000',
      'cpu/pod/cpu.stat': stat,
      'cpu/cpu.cfs_quota_us': '-1',
    }
    const root = cgroup({ ...files, own: '5:cpu,cpuacct:/pod\n4:memory:/other' })
    expect(readCpuUse(root, join(root, 'own'))).toMatchObject({ limitCores: 0.1, throttled: 20 })
  })

  test.each([
    ['no cgroup files', {}],
    ['no limit in version 2', { 'cpu.max': 'max 100000', 'cpu.stat': stat }],
    ['no limit in version 1', { 'cpu/cpu.cfs_quota_us': '-1', 'cpu/cpu.stat': stat }],
    ['damaged files', { 'cpu.max': 'x', 'cpu.stat': '' }],
  ])('is unknown with %s', (_, files) => {
    expect(readCpuUse(cgroup(files))).toBeUndefined()
  })
})

describe('indexing', () => {
  const use = { limitCores: 0.5, periods: 0, throttled: 0 }
  let now = 0
  /** Ten seconds of 100 periods, in some of which the container was stopped. */
  const pass = (guard: CpuGuard, throttled: number) => {
    use.periods += 100
    use.throttled += throttled
    now += 10_000
    return guard.mayIndex(now)
  }
  const started = (read: () => CpuUse | undefined = () => ({ ...use })) => {
    const guard = new CpuGuard(read)
    expect(guard.mayIndex(now)).toBe(true)
    return guard
  }

  test('pauses when the limit was reached in more than a quarter of the time, and names the reason', () => {
    const guard = started()
    expect(pass(guard, 25)).toBe(true)
    expect(guard.reason).toBeUndefined()
    expect(pass(guard, 60)).toBe(false)
    expect(guard.reason).toContain('limit of 0.5 cores was reached in 60 % of the time')
  })

  test('does not pause for a burst that is shorter than the time that is judged', () => {
    const guard = started()
    use.periods += 20
    use.throttled += 20
    now += 2000
    expect(guard.mayIndex(now)).toBe(true)
    use.periods += 80
    now += 8000
    expect(guard.mayIndex(now)).toBe(true)
  })

  test('resumes when the limit is not reached any more and some time has passed, later each time', () => {
    const guard = started()
    const waits: number[] = []
    for (let round = 0; round < 6; round++) {
      expect(pass(guard, 100)).toBe(false)
      const paused = now
      expect(pass(guard, 10)).toBe(false)
      while (!pass(guard, 0)) expect(guard.reason).toBeDefined()
      waits.push(now - paused)
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits.at(-1)).toBe(600_000)
    expect(guard.reason).toBeUndefined()
  })

  test('always runs where there is no limit, or no more, and with a container that hardly runs', () => {
    let limited = true
    const guard = started(() => (limited ? { ...use } : undefined))
    now += 10_000
    expect(guard.mayIndex(now)).toBe(true)
    expect(pass(guard, 100)).toBe(false)
    limited = false
    expect(pass(guard, 100)).toBe(true)
    expect(guard.reason).toBeUndefined()
  })
})
