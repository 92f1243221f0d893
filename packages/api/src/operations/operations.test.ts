import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { capabilities } from '../capability.ts'
import { isRoleName, roles } from '../role.ts'
import { type OperationName, operations } from './index.ts'

const names = Object.keys(operations) as OperationName[]

describe('the table of operations', () => {
  it('has each address once', () => {
    const addresses = names.flatMap((name) => {
      const { interfaces, method, path, aliases = [] } = operations[name]
      return [
        ...interfaces.map((name) => `${method} /${name}${path}`),
        ...aliases.map((alias) => `${alias.method} ${alias.path}`),
      ]
    })
    expect(new Set(addresses).size).toBe(addresses.length)
    for (const address of addresses) expect(address).toMatch(/^[A-Z]+ (\/[\w.{}-]+)+$/)
  })

  it.each(names)('%s is complete', (name) => {
    const { title, description, method, path, capability, input, output, changes } = operations[name]
    expect(name).toMatch(/^[a-z][a-z0-9_]+$/)
    expect(title.length).toBeGreaterThan(3)
    expect(description).toMatch(/\.$/)
    const keys = Object.keys(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }).properties ?? {})
    for (const [, parameter] of path.matchAll(/\{(\w+)\}/g)) expect(keys).toContain(parameter)
    for (const db of [undefined, 'a/b']) {
      const needed = typeof capability === 'function' ? capability({ db } as never) : capability
      const any = needed === undefined ? [] : typeof needed === 'string' ? [needed] : needed.anyOf
      expect(capabilities).toEqual(expect.arrayContaining([...any]))
    }
    expect(z.toJSONSchema(output, { unrepresentable: 'any' })).toBeDefined()
    if (method === 'PUT' || method === 'DELETE') expect(changes).toBe(true)
    if (method === 'GET') expect(changes).toBeFalsy()
  })

  it.each(names)('%s decides who may: by a capability, or any caller, for a reason', (name) => {
    const { capability, anyCaller } = operations[name]
    expect([capability !== undefined, anyCaller !== undefined].filter(Boolean)).toEqual([true])
    if (anyCaller !== undefined) expect(anyCaller).toMatch(/^[A-Z].{10,}\.$/)
  })

  it('lets any caller that is identified ask about itself and about the language, and nothing else', () => {
    expect(names.filter((name) => operations[name].anyCaller !== undefined).sort()).toEqual([
      'check_filter',
      'complete_kfl',
      'explain_kfl',
      'get_dissection_status',
      'list_kfl_fields',
      'search_fields',
      'whoami',
    ])
  })

  it('guards every change by a capability', () => {
    for (const name of names)
      if (operations[name].changes) expect(operations[name].capability, name).toBeDefined()
  })
})

describe('the matrix of roles', () => {
  it('is the one that was agreed upon', () => {
    const holders = Object.fromEntries(
      capabilities.map((capability) => [
        capability,
        Object.entries(roles)
          .filter(([, held]) => (held as readonly string[]).includes(capability))
          .map(([role]) => role),
      ]),
    )
    expect(holders).toEqual({
      'dissection:control': ['svc-admin', 'svc-realtime'],
      'dissection:live': ['svc-admin', 'svc-realtime', 'svc-viewer'],
      'snapshot:read': ['svc-admin', 'svc-snapshot', 'svc-viewer'],
      'snapshot:write': ['svc-admin', 'svc-snapshot'],
      'snapshot:dissection': ['svc-admin', 'svc-snapshot'],
      'pods:target:write': ['svc-admin', 'svc-realtime'],
      'settings:write': ['svc-admin', 'svc-realtime'],
      'events:cmdline': ['svc-admin'],
      'tls:read': ['svc-admin'],
      'access:manage': ['svc-admin'],
      'mcp:use': ['svc-admin'],
    })
  })

  it('knows its names and no others', () => {
    for (const name of ['svc-admin', 'svc-viewer']) expect(isRoleName(name)).toBe(true)
    for (const name of ['', 'svc-king', 'toString', '__proto__']) expect(isRoleName(name)).toBe(false)
  })
})
