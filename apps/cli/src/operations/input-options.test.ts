import { expect, it } from 'vitest'
import { inputOptions } from './input-options.ts'

it('a time is written as it is, not as JSON', () => {
  const { option } = inputOptions('list_workloads', new Set()).options.get('timestamp')!
  expect(option.read('2026-01-31T12:00:00Z', undefined)).toBe('2026-01-31T12:00:00Z')
  expect(option.doc).not.toContain('JSON')
})

it('a list of objects is written as JSON', () => {
  const { option } = inputOptions('create_agent', new Set()).options.get('actions')!
  expect(option.read('[{"kind":"log"}]', undefined)).toEqual([{ kind: 'log' }])
  expect(() => option.read('log', undefined)).toThrow('expected JSON')
})
