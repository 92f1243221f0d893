import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NetworkNamespaces } from './network-namespaces.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tapdeck-proc-'))
  add('self', 'net:[1]')
})
afterEach(() => rmSync(root, { recursive: true }))

function add(process: string, namespace: string): void {
  mkdirSync(join(root, process, 'ns'), { recursive: true })
  symlinkSync(namespace, join(root, process, 'ns', 'net'))
}

function move(process: string, namespace: string): void {
  unlinkSync(join(root, process, 'ns', 'net'))
  symlinkSync(namespace, join(root, process, 'ns', 'net'))
}

const ids = (namespaces: NetworkNamespaces) => [...namespaces.scan().keys()].sort()

test('finds each namespace once, without our own and without processes that cannot be read', () => {
  add('10', 'net:[1]')
  add('11', 'net:[2]')
  add('12', 'net:[2]')
  add('13', 'net:[3]')
  mkdirSync(join(root, '14'))
  mkdirSync(join(root, 'sys'))
  const namespaces = new NetworkNamespaces(root)
  expect(ids(namespaces)).toEqual(['net:[2]', 'net:[3]'])
  expect(namespaces.scan().get('net:[3]')).toEqual({ id: 'net:[3]', process: '13' })
  expect(namespaces.path('13')).toBe(join(root, '13/ns/net'))
  expect(namespaces.isRestricted).toBe(false)
})

test('a namespace ends with its last process', () => {
  add('11', 'net:[2]')
  add('12', 'net:[2]')
  const namespaces = new NetworkNamespaces(root)
  expect(ids(namespaces)).toEqual(['net:[2]'])
  rmSync(join(root, '11'), { recursive: true })
  expect(ids(namespaces)).toEqual(['net:[2]'])
  rmSync(join(root, '12'), { recursive: true })
  expect(ids(namespaces)).toEqual([])
})

test('follows a process that joins a namespace shortly after its start', () => {
  const namespaces = new NetworkNamespaces(root)
  namespaces.scan()
  add('20', 'net:[1]')
  expect(ids(namespaces)).toEqual([])
  move('20', 'net:[5]')
  expect(ids(namespaces)).toEqual(['net:[5]'])
})

test('follows a process id that was reused, after some scans', () => {
  add('20', 'net:[1]')
  const namespaces = new NetworkNamespaces(root)
  for (let i = 0; i < 5; i++) namespaces.scan()
  move('20', 'net:[6]')
  let scans = 0
  while (ids(namespaces).length === 0 && scans < 100) scans++
  expect(ids(namespaces)).toEqual(['net:[6]'])
})

test('without /proc there are none', () => {
  expect(ids(new NetworkNamespaces(join(root, 'nowhere')))).toEqual([])
})
