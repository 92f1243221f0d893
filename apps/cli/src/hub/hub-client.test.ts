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
