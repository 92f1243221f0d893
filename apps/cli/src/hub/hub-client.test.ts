import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { commands } from '../commands/index.ts'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

async function against(listener: RequestListener, ...args: string[]) {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const terminal = recordingTerminal()
  const status = await runCommand(commands, args, terminal, { TAPDECK_URL: `http://127.0.0.1:${port}` })
  return { status, notes: terminal.notes.join('\n') }
}

test('an interrupted answer is reported in one line', async () => {
  const breaking: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"snapshots":')
    setTimeout(() => response.destroy(), 20)
  }
  const { status, notes } = await against(breaking, 'snapshot', 'list')
  expect([status, notes]).toEqual([1, expect.stringContaining('broke off its answer')])
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-pcap-'))
  try {
    const download = await against(breaking, 'snapshot', 'pcap', 's', '-o', join(folder, 's.pcapng'))
    expect([download.status, download.notes]).toEqual([1, expect.stringContaining('broke off its answer')])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('another server is not taken for a hub', async () => {
  const page: RequestListener = (_request, response) => void response.end('<html>hello</html>')
  const { status, notes } = await against(page, 'snapshot', 'list')
  expect([status, notes]).toEqual([1, expect.stringContaining('is not a hub')])
})

test('a name that would be another address is not asked for', async () => {
  let asked = 0
  const count: RequestListener = (_request, response) => {
    asked++
    response.end('{}')
  }
  for (const name of ['', '.', '..']) {
    const { status, notes } = await against(count, 'snapshot', 'delete', name)
    expect([status, notes]).toEqual([2, expect.stringContaining(`"${name}" is no name`)])
  }
  expect(asked).toBe(0)
})

test('an import whose second file is refused takes the first back', async () => {
  const asked: string[] = []
  const picky: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    request.on('end', () => {
      const refused = request.url?.includes('append=true')
      if (refused) response.statusCode = 400
      response.end(JSON.stringify(refused ? { code: 'not_a_capture', detail: 'no capture' } : {}))
    })
  }
  const self = import.meta.filename
  const { status, notes } = await against(picky, 'import', self, self, '--name', 's')
  expect([status, notes]).toEqual([3, expect.stringContaining('no capture')])
  expect(asked.map((one) => one.replace(/\?.*/, ''))).toEqual([
    'POST /api/snapshots/s/import',
    'POST /api/snapshots/s/import',
    'DELETE /api/snapshots/s',
  ])
})

test('a folder in place of a capture is reported as such', async () => {
  const taking: RequestListener = (request, response) => {
    request.resume()
    request.on('end', () => response.end('{}'))
  }
  const { status, notes } = await against(taking, 'import', tmpdir(), '--name', 's')
  expect([status, notes]).toEqual([1, expect.stringContaining('EISDIR')])
})

test('a read whose connection was closed is repeated, and a change is not', async () => {
  let asked: string[] = []
  const closing: (times: number) => RequestListener = (times) => (request, response) => {
    asked.push(request.method ?? '')
    if (asked.length <= times) request.socket.destroy()
    else response.end('{"snapshots":[]}')
  }
  expect(await against(closing(1), 'snapshot', 'list')).toMatchObject({ status: 0 })
  expect(asked).toEqual(['GET', 'GET'])

  asked = []
  const { status, notes } = await against(closing(1), 'snapshot', 'delete', 's')
  expect([status, notes]).toEqual([1, expect.stringContaining('closed the connection without an answer')])
  expect(asked).toEqual(['DELETE'])
})

test('a hub that closes each connection is not reported as missing', async () => {
  let asked = 0
  const closing: RequestListener = (request) => {
    asked++
    request.socket.destroy()
  }
  const { status, notes } = await against(closing, 'snapshot', 'list')
  expect([status, notes]).toEqual([1, expect.stringContaining('closed the connection without an answer')])
  expect(notes).not.toContain('no hub answers')
  expect(asked).toBe(4)
})

test('where nothing listens, no hub answers', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  free.close()
  await once(free, 'close')
  const terminal = recordingTerminal()
  const url = `http://127.0.0.1:${port}`
  expect(await runCommand(commands, ['snapshot', 'list'], terminal, { TAPDECK_URL: url })).toBe(1)
  expect(terminal.notes.join('\n')).toContain('no hub answers')
})

test('a lost poll does not end --wait', async () => {
  let polls = 0
  const snapshot = { name: 's', status: 'completed', progress: 100, nodes: [], size_bytes: 0 }
  const restarting: RequestListener = (request, response) => {
    request.resume()
    if (request.method === 'POST')
      response.end(JSON.stringify({ success: true, name: 's', status: 'pending' }))
    // More often than one read is repeated.
    else if (++polls <= 6) request.socket.destroy()
    else response.end(JSON.stringify(snapshot))
  }
  const { status, notes } = await against(restarting, 'snapshot', 'create', 's', '--duration', '1m', '--wait')
  expect([status, notes]).toEqual([0, expect.stringContaining('trying again')])
  expect(polls).toBe(7)
})
