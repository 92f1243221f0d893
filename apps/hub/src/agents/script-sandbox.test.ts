import { describe, expect, it } from 'vitest'
import { ScriptSandbox } from './script-sandbox.ts'

const calls = JSON.stringify([
  { id: 'n/1/1', path: '/a', status: 500 },
  { id: 'n/1/2', path: '/b', status: 200 },
])

const run = async (source: string) => (await ScriptSandbox.open(source)).take(calls, 3)

describe('a script', () => {
  it('sees the calls and says what it has to say', async () => {
    const { emitted, refused } = await run(`
      let seen = 0
      function onCall(call, skipped) {
        seen++
        if (call.status >= 500) emit({ log: call.path + ' failed, ' + skipped + ' skipped' })
        emit({ metric: 'seen', value: seen })
        emit({ webhook: { id: call.id } })
      }`)
    expect(refused).toBe(0)
    expect(emitted).toEqual([
      { log: '/a failed, 3 skipped' },
      { metric: 'seen', value: 1 },
      { webhook: '{"id":"n/1/1"}' },
      { metric: 'seen', value: 2 },
      { webhook: '{"id":"n/1/2"}' },
    ])
  })

  it('keeps its state between batches', async () => {
    const sandbox = await ScriptSandbox.open(
      'let n = 0; function onCall() { emit({ metric: "n", value: ++n }) }',
    )
    sandbox.take(calls, 0)
    expect(sandbox.take(calls, 0).emitted.at(-1)).toEqual({ metric: 'n', value: 4 })
  })

  it.each([
    'process',
    'require',
    'fetch',
    'XMLHttpRequest',
    'WebAssembly',
    'setTimeout',
    'Deno',
    'Buffer',
    'std',
    'os',
    'console',
    '__send',
  ])('has no %s', async (name) => {
    const { emitted } = await run(`function onCall() { emit({ log: typeof ${name} }) }`)
    expect(emitted[0]).toEqual({ log: 'undefined' })
  })

  // Named apart, so that it does not look like an import of this file.
  const files = JSON.stringify('fs')

  it('reaches nothing of ours by constructors, imports or prototypes', async () => {
    const { emitted } = await run(`function onCall() {
      emit({ log: String(emit.constructor('return typeof process')()) + typeof globalThis.constructor.constructor('return this')().process })
    }`)
    expect(emitted[0]).toEqual({ log: 'undefinedundefined' })
    await expect(run(`import fs from ${files}; function onCall() {}`)).rejects.toThrow(/SyntaxError|import/)
    const dynamic = await run(
      `function onCall() { import(${files}).then((fs) => emit({ log: 'in' }), () => emit({ log: 'out' })) }`,
    )
    expect(dynamic.emitted).not.toContainEqual({ log: 'in' })
  })

  it.each([
    ['loops', 'function onCall() { for (;;) {} }', /longer than/],
    ['loops while it is read', 'for (;;) {}', /longer than/],
    [
      'loops in promises',
      'function onCall() { const f = () => Promise.resolve().then(f); f(); for(;;); }',
      /longer than/,
    ],
    [
      'catches its own interruption',
      'function onCall() { for (;;) try { for (;;) {} } catch {} }',
      /longer than/,
    ],
    ['backtracks', 'function onCall() { /(a+)+$/.test("a".repeat(45) + "b") }', /longer than/],
    ['throws', 'function onCall(call) { throw new RangeError("bad " + call.path) }', /RangeError: bad \/a/],
    ['throws what is no error', 'function onCall() { throw null }', /Error/],
    [
      'eats memory',
      'const a = []; function onCall() { for (;;) a.push(new Array(1000).fill(1)) }',
      /memory|longer/,
    ],
    ['makes a huge string', 'function onCall() { let s = "x"; for (;;) s += s }', /memory|too long|longer/],
    ['recurses', 'function onCall() { onCall() }', /stack|recursion/i],
    ['is no JavaScript', 'function (', /SyntaxError/],
    ['defines no onCall', 'const x = 1', /onCall/],
  ])('that %s is stopped with a reason', async (_, source, reason) => {
    await expect(run(source)).rejects.toThrow(reason)
  })

  it('that takes memory in small parts gets no more than its own', async () => {
    const greedy = await ScriptSandbox.open(`const a = []; let full = 0
      function onCall() { try { for (let i = 0; i < 600; i++) a.push(new Uint8Array(65536)) } catch { full++ } emit({ metric: 'full', value: full }) }`)
    expect(greedy.take(calls, 0).emitted).toContainEqual({ metric: 'full', value: 1 })
  })

  it('says at most so much, and what makes no sense is refused', async () => {
    const many = await run('function onCall() { for (let i = 0; i < 80; i++) emit({ log: "x" }) }')
    expect([many.emitted.length, many.refused]).toEqual([100, 60])
    const odd = await run(`function onCall() {
      emit(); emit(null); emit(1); emit({}); emit({ metric: 'm', value: -1 }); emit({ metric: 'm', value: 'x' })
      emit({ log: 'x'.repeat(70000) }); emit({ log: 1 })
    }`)
    expect(odd).toMatchObject({ emitted: [], refused: 16 })
    const large = await run(
      'function onCall() { for (let i = 0; i < 20; i++) emit({ log: "x".repeat(60000) }) }',
    )
    expect([large.emitted.length, large.refused]).toEqual([17, 23])
  })
})
