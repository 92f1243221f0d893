import { expect, it } from 'vitest'
import { TargetedProcesses } from './targeted-processes.ts'

it('decides anew about a process whose pod was unknown at first, and forgets processes that have ended', () => {
  const pods = new Set<number>()
  const processes = new TargetedProcesses(({ pid }) => pods.has(pid))
  const one = { pid: 2 ** 30, comm: 'cart' }
  processes.started(one, 0)
  pods.add(one.pid)
  expect(processes.decide(one)).toBe(false)
  expect(processes.reconcile([one.pid], 10_000)).toEqual([])
  expect(processes.decide(one)).toBe(true)
  expect(processes.reconcile([], 20_000)).toEqual([one.pid])
})

it('never targets its own process', () => {
  expect(new TargetedProcesses(() => true).decide({ pid: process.pid, comm: 'node' })).toBe(false)
})

it('does not decide about a process that ends while processes are listed: its record has its name', () => {
  const processes = new TargetedProcesses(({ comm }) => comm === 'cart')
  const ended = 2 ** 30
  processes.reconcile([ended], 0)
  expect(processes.decide({ pid: ended, comm: 'cart' })).toBe(true)
})
