import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isShared, portWarning, readClientPorts } from './client-ports.ts'

const clients = { first: 32768, last: 60999, reserved: [] }

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

test('there is no warning for a port that is reserved', () => {
  const reserved = [{ first: 41230, last: 41240 }]
  expect(portWarning([41233], { ...clients, reserved })).toBeUndefined()
  expect(portWarning([41241], { ...clients, reserved })).toContain('Traffic of port 41241')
})

test('a range is shared if a client may get one of its ports', () => {
  const wide = { first: 1024, last: 65535, reserved: [] }
  const own = { first: 28864, last: 28927 }
  expect(isShared(own, clients)).toBe(false)
  expect(isShared(own, wide)).toBe(true)
  expect(isShared(own, { ...wide, reserved: [own] })).toBe(false)
  expect(isShared(own, { ...wide, reserved: [{ first: 28865, last: 28927 }] })).toBe(true)
})

test('ports are read as the kernel writes them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-ports-'))
  try {
    expect(readClientPorts(folder)).toBeUndefined()
    writeFileSync(join(folder, 'ip_local_port_range'), '1024\t65535\n')
    expect(readClientPorts(folder)).toEqual({ first: 1024, last: 65535, reserved: [] })
    writeFileSync(join(folder, 'ip_local_reserved_ports'), '8898,28864-28927\n')
    expect(readClientPorts(folder)?.reserved).toEqual([
      { first: 8898, last: 8898 },
      { first: 28864, last: 28927 },
    ])
    writeFileSync(join(folder, 'ip_local_port_range'), 'none')
    expect(readClientPorts(folder)).toBeUndefined()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
