// Shared by the scripts of this folder: real servers on loopback, scripted clients, and tcpdump.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

// Where the captures of a protocol are written; default: the folder of the protocol.
const protocols =
  process.env.CAPTURES_TO ?? fileURLToPath(new URL('../../packages/dissect/src/protocols/', import.meta.url))
const started = []
export const work = mkdtempSync(join(tmpdir(), 'captures-'))

/** Records what goes over loopback while `run` runs. Names on the command line choose among the captures. */
export async function record(protocol, name, filter, run) {
  const only = process.argv.slice(2)
  if (only.length > 0 && !only.includes(name)) return
  const file = join(work, `${name}.pcap`)
  const dump = spawn('tcpdump', [
    '-i',
    'lo',
    '-s',
    '0',
    '-U',
    '-B',
    '8192',
    '--immediate-mode',
    '-w',
    file,
    filter,
  ])
  let said = ''
  dump.stderr.on('data', (text) => {
    said += text
  })
  while (!said.includes('listening')) await sleep(50)
  try {
    await run()
  } finally {
    await sleep(500)
    dump.kill('SIGINT')
    await once(dump, 'exit')
  }
  const folder = join(protocols, protocol, 'captures')
  mkdirSync(folder, { recursive: true })
  copyFileSync(file, join(folder, `${name}.pcap`))
  console.log(`${protocol}/${name}: ${statSync(file).size} bytes`)
}

/** Starts a server and waits for its port. It is stopped at the end. */
export async function serve(port, command, ...args) {
  const child = spawn(command, args, { stdio: 'ignore' })
  started.push(child)
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      ;(await dial(port)).end()
      return child
    } catch {
      await sleep(50)
    }
  }
  throw new Error(`${command} does not listen on ${port}`)
}

/** Runs a client to its end; its failure is part of the show. `input` goes to its standard input. */
export async function run(input, command, ...args) {
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  await once(child, 'exit')
}

async function dial(port) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

/** A connection: `say` sends, and waits until the other side has answered and is quiet. */
export async function talk(port, quiet = 30) {
  const socket = await dial(port)
  let last = Date.now()
  let bytes = 0
  socket.on('data', (data) => {
    last = Date.now()
    bytes += data.length
  })
  socket.on('error', () => {})
  const settle = async (before, patience) => {
    const deadline = Date.now() + patience
    while (bytes === before && Date.now() < deadline) await sleep(2)
    while (Date.now() - last < quiet) await sleep(2)
  }
  return {
    socket,
    hear: (patience = 1000) => settle(bytes, patience),
    async say(text, patience = 300) {
      const before = bytes
      socket.write(text)
      await settle(before, patience)
    },
    async end() {
      if (!socket.destroyed) socket.end()
      await sleep(30)
      socket.destroy()
    },
  }
}

/** Stops what was started and removes what was written. */
export async function finish() {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill()
    await once(child, 'exit')
  }
  rmSync(work, { recursive: true, force: true })
}
