import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installEngine } from './install-engine.mjs'

/** Compiling the engine in WebAssembly takes 10 s on an idle machine. */
const START_MS = 180_000

/**
 * Starts a ClickHouse from npm and returns its address and how to stop it, or the reason why there is none. Its data is in
 * `folder`; without one, in a temporary folder.
 */
export async function startEngine({ nativeOnly = false, folder } = {}) {
  const engine = await installEngine({ nativeOnly })
  if (engine.reason !== undefined) return engine
  const data = folder ?? mkdtempSync(join(tmpdir(), 'tapdeck-clickhouse-'))
  const removeData = () => {
    if (folder === undefined) rmSync(data, { recursive: true, force: true })
  }
  const script = join(import.meta.dirname, 'engine.mjs')
  const args = [script, engine.folder, ...(engine.kind === 'native' ? [data] : [])]
  const child = spawn(engine.node, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const port = await new Promise((resolve) => {
    const timer = setTimeout(resolve, START_MS)
    const settle = (value) => {
      clearTimeout(timer)
      resolve(value)
    }
    child.stdout.once('data', (line) => settle(Number(String(line))))
    child.once('exit', () => settle(undefined))
    child.once('error', () => settle(undefined))
  })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
    removeData()
  }
  if (port === undefined) {
    await stop()
    return { reason: `ClickHouse (${engine.kind}) did not start on this machine.` }
  }
  return { kind: engine.kind, url: `http://127.0.0.1:${port}`, pid: child.pid, stop }
}
