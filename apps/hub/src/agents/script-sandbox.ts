import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import type { Emitted } from './script-message.ts'

/** Of the interpreter with all that the script holds. */
const MEMORY_BYTES = 32 * 1024 * 1024
const PAGE_BYTES = 65_536
/** The smallest that the module accepts; untouched pages cost nothing. */
const INITIAL_PAGES = 256
/** The memory grows by a twentieth at least; beyond this it cannot. */
const FULL_BYTES = MEMORY_BYTES * 0.94
const STACK_BYTES = 256 * 1024
const WITHIN_MS = 500
const MAX_EMITTED = 100
const MAX_TEXT = 65_536
const MAX_TEXT_OF_BATCH = 1_048_576
const MAX_JOBS = 1000

/** All that the script finds beside the language itself; what it hands out is text. */
const PRELUDE = `
((send, stringify, parse) => {
  globalThis.emit = (value) => {
    const text = stringify(value)
    send(typeof text === 'string' && text.length <= ${MAX_TEXT} ? text : '')
  }
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
 * and no way to any object of ours. Time, memory and stack are bounded: the limit of QuickJS is for single allocations, so
 * the memory of the interpreter has a maximum.
 */
export class ScriptSandbox {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #memory: WebAssembly.Memory
  #emitted: Emitted[] = []
  #emittedText = 0
  #refused = 0
  #deadline = Number.POSITIVE_INFINITY

  private constructor(runtime: QuickJSRuntime, memory: WebAssembly.Memory) {
    this.#runtime = runtime
    this.#memory = memory
    runtime.setMaxStackSize(STACK_BYTES)
    runtime.setInterruptHandler(() => performance.now() > this.#deadline)
    this.#context = runtime.newContext()
    const send = this.#context.newFunction('__send', (text) => this.#take(this.#context.getString(text)))
    this.#context.setProp(this.#context.global, '__send', send)
    send.dispose()
  }

  /** Throws `ScriptFailed` where the script does not run to its end. */
  static async open(source: string): Promise<ScriptSandbox> {
    const wasmMemory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MEMORY_BYTES / PAGE_BYTES })
    const { default: loaded } = await import('@jitl/quickjs-wasmfile-release-sync')
    // Its types are those of CommonJS, where the variant is one level deeper.
    const variant = 'default' in loaded ? loaded.default : loaded
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }))
    const sandbox = new ScriptSandbox(module.newRuntime(), wasmMemory)
    sandbox.#run(PRELUDE)
    sandbox.#run(source)
    return sandbox
  }

  /** Gives calls to the script and returns what it said. Throws `ScriptFailed`. */
  take(calls: string, skipped: number): { emitted: readonly Emitted[]; refused: number } {
    this.#emitted = []
    this.#emittedText = 0
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
      // Where the interpreter has no memory left, it may also trap.
      throw error instanceof ScriptFailed
        ? error
        : this.#failure({ name: 'script interpreter error', message: error })
    }
  }

  #failure(error: unknown): ScriptFailed {
    if (performance.now() > this.#deadline)
      return new ScriptFailed(`the script ran longer than ${WITHIN_MS} ms`)
    const { name = 'Error', message = error } = (error ?? {}) as { name?: unknown; message?: unknown }
    // Without memory there is often no error object either.
    const isFull = this.#memory.buffer.byteLength > FULL_BYTES && (!error || message instanceof Error)
    if (message === 'out of memory' || isFull)
      return new ScriptFailed(`the script used more than ${MEMORY_BYTES} bytes of memory`)
    return new ScriptFailed(`${name}: ${message}`.slice(0, 500))
  }

  #take(text: string): void {
    const isFull = this.#emitted.length >= MAX_EMITTED || this.#emittedText + text.length > MAX_TEXT_OF_BATCH
    const emitted = isFull ? undefined : asEmitted(text)
    if (emitted === undefined) this.#refused++
    else {
      this.#emitted.push(emitted)
      this.#emittedText += text.length
    }
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
  // As text: objects of 64 KiB of JSON are 20 times as large, and would be copied to the hub.
  return webhook === undefined ? undefined : { webhook: JSON.stringify(webhook) }
}
