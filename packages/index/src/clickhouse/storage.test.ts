import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readClickhouseStorage } from './storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-storage-'))
afterAll(() => rmSync(folder, { recursive: true }))

const section = {
  url: 'https://clickhouse:8443',
  database: 'tapdeck',
  user: 'writer',
  passwordFile: '',
  ca: '',
  timeout: '30s',
  batchRows: 1000,
  queueSize: '64Mi',
  retention: '168h',
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('amounts are read in their units', () => {
  expect(readClickhouseStorage(section, undefined)).toEqual({
    address: { url: 'https://clickhouse:8443', database: 'tapdeck', user: 'writer', timeoutMs: 30_000 },
    name: 'live',
    maxQueuedBytes: 64 * 1024 * 1024,
    maxInsertRows: 1000,
    keepSeconds: 168 * 3600,
  })
  expect(readClickhouseStorage({ ...section, retention: '0' }, undefined).keepSeconds).toBe(0)
})

test('the password is that of the file, else that of the environment', () => {
  const passwordFile = file('password', 'from the file\n')
  expect(readClickhouseStorage(section, undefined, 'given').address.password).toBe('given')
  expect(readClickhouseStorage({ ...section, passwordFile }, undefined, 'given').address.password).toBe(
    'from the file',
  )
})

test('connections have the ports that are given, or any', () => {
  const ports = { first: 9000, last: 9010 }
  expect(readClickhouseStorage(section, ports).address.ports).toEqual(ports)
  expect(readClickhouseStorage(section).address).not.toHaveProperty('ports')
})

test('the certificate authority is read', () => {
  const ca = file('ca.pem', '-----BEGIN CERTIFICATE-----\n')
  expect(readClickhouseStorage({ ...section, ca }, undefined).address.ca).toContain('BEGIN CERTIFICATE')
})

test('what is missing is named', () => {
  expect(() => readClickhouseStorage({ ...section, url: '' })).toThrow(
    /tap\.index\.clickhouse\.url is empty\. Set it/,
  )
  expect(() => readClickhouseStorage({ ...section, passwordFile: join(folder, 'none') })).toThrow(
    /tap\.index\.clickhouse\.passwordFile names a file that cannot be read: ENOENT/,
  )
})
