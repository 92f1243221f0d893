import { resolveConfig } from '@tapdeck/config'
import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { describe, expect, it } from 'vitest'
import { Redactions } from '../access/redactions.ts'
import { keptFilter, withheldFrom } from './kept-filters.ts'

const everything = '*' as const
const caller = (role: string, namespaces: '*' | string[] = everything) => ({
  ...{ name: 'x', role, capabilities: [], namespaces, kind: 'token' as const, key: 'x', cookie: false },
  ...{ until: 0, configGeneration: 0 },
})

function rules(...set: string[]) {
  const sources = { files: [], set, setString: [], env: {}, flags: {} }
  const { config } = resolveConfig(sources)
  return { redactions: new Redactions(config.tap), catalog: createCatalog(protocols), now: () => 0 }
}
const headers = rules('tap.redaction.byRole.svc-viewer.headers={x-user}')
const query = rules('tap.redaction.byRole.svc-viewer.query={token}')
const patterns = rules('tap.redaction.byRole.svc-viewer.patterns={needle}')

describe('a filter that others keep', () => {
  it.each([
    ['dst.svc == "cart" and response.status >= 500', headers, true],
    ['path contains "/orders"', headers, true],
    ['', headers, true],
    ['request.headers["x-user"] == "kim"', headers, false],
    ['not (response.body contains "x")', headers, false],
    // What hides parts of paths may hide this one.
    ['path contains "t0ps3cret"', query, false],
    ['error contains "t0ps3cret"', patterns, false],
    ['dst.svc == "needle"', patterns, false],
    ['dst.svc == "cart"', patterns, true],
    ['no filter any more (', headers, false],
  ])('%j is shown to a role with redaction only if it cannot hold what is hidden', (kfl, given, isShown) => {
    const shown = keptFilter(kfl, caller('svc-viewer'), given)
    if (isShown) expect(shown).toEqual({ kfl })
    else expect(shown).toEqual({ kfl_withheld: expect.stringMatching(/^withheld: the role "svc-viewer"/) })
  })

  it('is shown to roles that see everything, and to none with namespaces', () => {
    const kfl = 'src.ns == "secret"'
    expect(keptFilter(kfl, caller('svc-admin'), headers)).toEqual({ kfl })
    expect(keptFilter(kfl, caller('shop', ['shop']), headers)).not.toHaveProperty('kfl')
  })

  it('is replaced wherever it is in an answer, and nothing else is', () => {
    const kfl = 'request.body contains "x"'
    const agent = { name: 'a', kfl, actions: [{ kind: 'recording', kfl }, { kind: 'log' }] }
    const kfl_withheld = expect.stringContaining('withheld')
    expect(withheldFrom('list_agents', { agents: [agent] }, caller('svc-viewer'), headers)).toEqual({
      agents: [{ name: 'a', kfl_withheld, actions: [{ kind: 'recording', kfl_withheld }, { kind: 'log' }] }],
    })
    const answer = { calls: [{ kfl }], why_empty: { parts: [{ kfl, matches: 1 }], only: { kfl } } }
    expect(withheldFrom('list_api_calls', answer, caller('svc-viewer'), headers)).toEqual({
      ...answer,
      why_empty: { ...answer.why_empty, only: { kfl_withheld } },
    })
  })
})
