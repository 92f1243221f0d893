import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { afterAll, expect, test } from 'vitest'
import { Live } from './live.ts'

/** A file system of 8 MiB, where this process may mount one. */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    console.log('skipped: the test of a full disk mounts a small tmpfs, which needs CAP_SYS_ADMIN')
    return undefined
  }
}

const disk = mountSmallDisk()
afterAll(() => {
  if (!disk) return
  execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

/** Takes all that is left. */
function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, new Uint8Array(4096))
  } catch {
    return
  }
}

function preamble(): Uint8Array {
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  return writer.take()
}

let port = 1000

/** HTTP exchanges of one path, each on a connection of its own, as a block of packets. */
function exchanges(path: string, count: number): Uint8Array {
  const writer = new PcapngWriter()
  for (let at = 0; at < count; at++) {
    const clientPort = ++port
    const isns = { clientIsn: clientPort * 1000, serverIsn: clientPort * 2000 }
    const talk = new Conversation({ clientPort, ...isns, start: Date.now() * 1000 })
      .handshake()
      .send(0, `GET ${path}/${at} HTTP/1.1\r\nHost: cart\r\n\r\n`)
      .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      .close()
    for (const { data, time } of talk.packets) writer.packet(0, time, data, 0, data.length, data.length)
  }
  return writer.take()
}

test.skipIf(!disk)(
  'a live index that cannot be written says so, with the reason, until it is written again',
  async () => {
    const filler = join(disk!, 'filler')
    const live = new Live(
      {
        node: 'n1',
        folder: join(disk!, 'live'),
        maxBytes: 0,
        bodyBytes: 1024,
        targets: { regex: '.*', namespaces: [], excludedNamespaces: [] },
      },
      () => {},
    )
    try {
      const stored = async (kfl: string) =>
        JSON.parse(await live.query('calls', { kfl, limit: 1, order: 'newest', format: 'full' }))
      const off = () => live.status.coverage?.off
      await live.begin(preamble())
      live.push(exchanges('/before', 1))
      await expect
        .poll(async () => (await stored('path contains "before"')).total, { timeout: 15_000 })
        .toBe(1)
      expect(off()).toBeUndefined()
      fill(filler)
      live.push(exchanges('/full', 2000))
      await expect.poll(off, { timeout: 15_000 }).toMatchObject({ reason: 'disk_full' })
      rmSync(filler)
      await expect.poll(off, { timeout: 15_000 }).toBeUndefined()
      const after = await stored('path contains "full"')
      expect(after.total).toBe(2000)
      // The calls did not fail because our disk was full.
      expect(after.calls[0]).toMatchObject({ status: 200 })
      expect((await stored('failed')).total).toBe(0)
      expect(after.calls[0].error).toBeUndefined()
    } finally {
      rmSync(filler, { force: true })
      await live.close()
    }
  },
)
