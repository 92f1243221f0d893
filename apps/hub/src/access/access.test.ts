import { expect, it } from 'vitest'
import { Access, demand } from './access.ts'

it('does not start with a role that nobody knows, and names it and the known ones', () => {
  const auth = { enabled: false, defaultRole: 'svc-king' as never }
  expect(() => new Access(auth)).toThrow(
    /defaultRole.*"svc-king".*svc-admin, svc-realtime, svc-snapshot, svc-viewer/,
  )
})

it('keeps the old role where a changed one is unknown', () => {
  const access = new Access({ enabled: false, defaultRole: 'svc-viewer' })
  expect(() => access.configure({ enabled: false, defaultRole: 'svc-king' as never })).toThrow()
  expect(access.resolve(new Headers()).role).toBe('svc-viewer')
  access.configure({ enabled: false, defaultRole: 'svc-realtime' })
  expect(access.resolve(new Headers()).role).toBe('svc-realtime')
})

it('tells a missing credential from a bad one', () => {
  const access = new Access({ enabled: true, defaultRole: 'svc-admin' })
  expect(() => access.resolve(new Headers())).toThrow(
    expect.objectContaining({ status: 401, code: 'no_credential' }),
  )
  expect(() => access.resolve(new Headers({ authorization: 'Bearer x' }))).toThrow(
    expect.objectContaining({ status: 401, code: 'bad_credential' }),
  )
})

it('names the first capability that lacks, and all of them in the text', () => {
  const caller = new Access({ enabled: false, defaultRole: 'svc-viewer' }).resolve(new Headers())
  expect(() => demand(caller, ['dissection:live'])).not.toThrow()
  expect(() => demand(caller, ['dissection:live', 'mcp:use', 'dissection:control'])).toThrow(
    expect.objectContaining({
      status: 403,
      message: 'the role svc-viewer does not hold mcp:use and dissection:control',
      extensions: { missing: 'mcp:use', role: 'svc-viewer' },
    }),
  )
})
