import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProcessTargets } from './process-targets.ts'

const { pid } = process
const none = { processes: '', namespaces: [], regex: '.*', podAt: () => undefined }

describe.skipIf(process.platform !== 'linux')('createProcessTargets', () => {
  it('selects processes of the machine by name, and none without a pattern', () => {
    expect(createProcessTargets(none)({ pid, comm: 'curl' })).toBe(false)
    const targets = createProcessTargets({ ...none, processes: '^(curl|node)$' })
    const ended = 2 ** 30
    expect(['curl', 'node', 'curly'].map((comm) => targets({ pid: ended, comm }))).toEqual([
      true,
      true,
      false,
    ])
    const byProgram = createProcessTargets({ ...none, processes: `^${basename(process.execPath)}$` })
    expect(byProgram({ pid, comm: 'MainThread' })).toBe(true)
  })

  it('selects an ended process by name on a machine without pods, but not if it may have been in a pod', () => {
    const ended = { pid: 2 ** 30, comm: 'curl', cgroup: 5n }
    expect(createProcessTargets({ ...none, processes: 'curl' })(ended)).toBe(true)
    const withPods = createProcessTargets({ ...none, processes: 'curl', namespaces: ['shop'] })
    expect(withPods(ended)).toBe(false)
    // Another process of its control group was on the machine itself.
    withPods({ pid, comm: 'sh', cgroup: 5n })
    expect(withPods(ended)).toBe(true)
  })
})
