import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import type { Emitted } from './script-message.ts'

const MEMORY_BYTES = 32 * 1024 * 1024
const STACK_BYTES = 256 * 1024
const WITHIN_MS = 500
const MAX_EMITTED = 100
const MAX_TEXT = 65_536
const MAX_JOBS = 1000

/** All that the script finds beside the language itself; what it hands out is text. */
const PRELUDE = `
((send, stringify, parse) => {
  globalThis.emit = (value) => { send(stringify(value)) }
  globalThis.__take = (json, skipped) => {
    if (typeof onCall !== 'function') throw new TypeError('the script does not define a function onCall(call)')
    for (const call of parse(json)) onCall(call, skipped)
  }
})(__send, JSON.stringify, JSON.parse)
delete globalThis.__send
`

export class ScriptFailed extends Error {}

/**
 * A script in an interpreter of its own, compiled to WebAssembly: it has no files, no network, no processes, no timers,
 * and no way to any object of ours. Time, memory and stack are bounded.
 */
export class ScriptSandbox {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  #emitted: Emitted[] = []
  #refused = 0
  #deadline = Number.POSITIVE_INFINITY

  private constructor(runtime: QuickJSRuntime) {
    this.#runtime = runtime
    runtime.setMemoryLimit(MEMORY_BYTES)
    runtime.setMaxStackSize(STACK_BYTES)
    runtime.setInterruptHandler(() => performance.now() > this.#deadline)
    this.#context = runtime.newContext()
    const send = this.#context.newFunction('__send', (text) => this.#take(this.#context.getString(text)))
    this.#context.setProp(this.#context.global, '__send', send)
    send.dispose()
  }

  /** Throws `ScriptFailed` where the script does not run to its end. */
  static async open(source: string): Promise<ScriptSandbox> {
    const module = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
    const sandbox = new ScriptSandbox(module.newRuntime())
    sandbox.#run(PRELUDE)
    sandbox.#run(source)
    return sandbox
  }

  /** Gives calls to the script and returns what it said. Throws `ScriptFailed`. */
  take(calls: string, skipped: number): { emitted: readonly Emitted[]; refused: number } {
    this.#emitted = []
    this.#refused = 0
    this.#run(`__take(${JSON.stringify(calls)}, ${skipped})`)
    return { emitted: this.#emitted, refused: this.#refused }
  }

  #run(code: string): void {
    this.#deadline = performance.now() + WITHIN_MS
    try {
      const result = this.#context.evalCode(code, 'agent.js', { type: 'global' })
      if (result.error) throw this.#failure(this.#context.dump(result.error))
      result.value.dispose()
      const jobs = this.#runtime.executePendingJobs(MAX_JOBS)
      if (jobs.error) throw this.#failure(this.#context.dump(jobs.error))
    } catch (error) {
      throw error instanceof ScriptFailed ? error : new ScriptFailed(`script interpreter error: ${error}`)
    }
  }

  #failure(error: unknown): ScriptFailed {
    if (performance.now() > this.#deadline)
      return new ScriptFailed(`the script ran longer than ${WITHIN_MS} ms`)
    const { name = 'Error', message = String(error) } = (error ?? {}) as { name?: string; message?: string }
    if (message === 'out of memory')
      return new ScriptFailed(`the script used more than ${MEMORY_BYTES} bytes of memory`)
    return new ScriptFailed(`${name}: ${message}`.slice(0, 500))
  }

  #take(text: string): void {
    const emitted = text.length <= MAX_TEXT ? asEmitted(text) : undefined
    if (emitted === undefined || this.#emitted.length >= MAX_EMITTED) this.#refused++
    else this.#emitted.push(emitted)
  }
}

function asEmitted(text: string): Emitted | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { log, metric, value: amount = 1, webhook } = value as Record<string, unknown>
  if (typeof log === 'string') return { log }
  if (typeof metric === 'string')
    return typeof amount === 'number' && amount >= 0 ? { metric, value: amount } : undefined
  return webhook === undefined ? undefined : { webhook }
}
