import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { portWarning, readClientPorts } from './client-ports.ts'

const clients = { first: 32768, last: 60999 }

test.each([32768, 41233, 60999])('a hub on port %i may hide a client of another server', (port) =>
  expect(portWarning([port, 443], clients)).toContain(`Traffic of port ${port} (the hub) is not recorded`),
)

test.each([8898, 32767, 61000])('a hub on port %i hides no client', (port) =>
  expect(portWarning([port, 443], clients)).toBeUndefined(),
)

test('there is no warning if nothing is excluded, or the range is unknown', () => {
  expect(portWarning([], clients)).toBeUndefined()
  expect(portWarning([41233], undefined)).toBeUndefined()
})

test('the range is read as the kernel writes it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-ports-'))
  const file = join(folder, 'range')
  try {
    writeFileSync(file, '1024\t65535\n')
    expect(readClientPorts(file)).toEqual({ first: 1024, last: 65535 })
    writeFileSync(file, 'none')
    expect(readClientPorts(file)).toBeUndefined()
    expect(readClientPorts(join(folder, 'missing'))).toBeUndefined()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
