import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/**
 * A hub with authentication, a hostile client and an ordinary client. How
 * long the good one waits and how much memory the hub holds is printed; that it is answered, and that the memory stays
 * bounded, is asserted.
 */
let tapdeck: RunningTapdeck
let good: string

beforeAll(async () => {
  tapdeck = await RunningTapdeck.start(['tap.auth.enabled=true', 'tap.capture.raw.enabled=false'])
  good = tapdeck.token('svc-admin')
})
afterAll(() => tapdeck?.stop())

const MB = 1024 * 1024
const MAX_GROWTH = 300 * MB
const MIN_ANSWERS = 6

interface Waits {
  readonly answered: number
  readonly failed: number
  readonly p50: number
  readonly p99: number
}

/** A client that sends a query every 20 ms until the signal aborts, but several in any case: an attack may end at once. */
async function goodCaller(stop: AbortSignal): Promise<Waits> {
  const waits: number[] = []
  let failed = 0
  while (!stop.aborted || waits.length < MIN_ANSWERS) {
    const started = performance.now()
    const answer = await fetch(`${tapdeck.url}/api/stats`, { headers: { authorization: `Bearer ${good}` } })
    await answer.text()
    waits.push(performance.now() - started)
    if (answer.status !== 200) failed++
    await sleep(20)
  }
  waits.sort((a, b) => a - b)
  const at = (part: number) => Math.round((waits[Math.floor(waits.length * part)] ?? 0) * 10) / 10
  return { answered: waits.length, failed, p50: at(0.5), p99: at(0.99) }
}

async function beside<Result>(name: string, attack: () => Promise<Result>): Promise<Result> {
  const before = tapdeck.hubMemory()
  let highest = before
  const stop = new AbortController()
  const watch = setInterval(() => {
    highest = Math.max(highest, tapdeck.hubMemory())
  }, 100)
  const caller = goodCaller(stop.signal)
  const finish = async () => {
    stop.abort()
    clearInterval(watch)
    return caller
  }
  const result = await attack().finally(finish)
  const waits = await caller
  const mb = (bytes: number) => Math.round(bytes / MB)
  console.log(
    `${name}: good caller ${waits.answered} answers, p50 ${waits.p50} ms, p99 ${waits.p99} ms; hub ${mb(before)} MB, highest ${mb(highest)} MB; ${JSON.stringify(result)}`,
  )
  expect(waits.failed).toBe(0)
  expect(waits.answered).toBeGreaterThanOrEqual(MIN_ANSWERS)
  expect(highest - before).toBeLessThan(MAX_GROWTH)
  return result
}

test('nothing happens', () => beside('quiet', () => sleep(4000)))

test('a thousand connections that never finish their headers are closed', async () => {
  const { closed } = await beside('slowloris, 1000 connections', async () => {
    const sockets = Array.from({ length: 1000 }, () => open())
    for (const socket of sockets) socket.write('GET /api/status HTTP/1.1\r\nhost: 127.0.0.1\r\n')
    const alive = () => sockets.filter((socket) => !socket.destroyed).length
    for (let second = 0; second < 20 && alive() > 0; second++) {
      await sleep(1000)
      for (const socket of sockets) if (!socket.destroyed) socket.write('x: y\r\n')
    }
    return { closed: sockets.length - alive() }
  })
  expect(closed).toBe(1000)
})

test('a body of a gigabyte is refused early, with a credential and without', async () => {
  const send = async (authorization: string) => {
    const socket = open()
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.write(
      `POST /api/snapshots HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}content-type: application/json\r\ncontent-length: 1073741824\r\n\r\n`,
    )
    const piece = Buffer.alloc(256 * 1024, 0x20)
    let sent = 0
    while (sent < 1024 * MB && !socket.destroyed) {
      await new Promise<void>((resolve) => {
        socket.once('close', resolve)
        socket.write(piece, () => {
          socket.off('close', resolve)
          resolve()
        })
      })
      sent += piece.length
    }
    socket.destroy()
    return { status: answer.slice(9, 12), megabytes: Math.round(sent / MB) }
  }
  const found = await beside('1 GB body', async () => ({
    identified: await send(`authorization: Bearer ${good}\r\n`),
    anonymous: await send(''),
  }))
  expect(found.identified.status).toBe('413')
  expect(found.anonymous.status).toBe('401')
})

test('JSON that is ten thousand deep is refused', async () => {
  const statuses = await beside('10,000-deep JSON, 200 times', async () => {
    const seen = new Set<number>()
    const body = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    for (let count = 0; count < 200; count++) {
      const answer = await fetch(`${tapdeck.url}/api/snapshots`, {
        method: 'POST',
        headers: { authorization: `Bearer ${good}`, 'content-type': 'application/json' },
        body,
      })
      await answer.text()
      seen.add(answer.status)
    }
    return [...seen]
  })
  expect(statuses).toEqual([400])
})

test('a flood of bad tokens is turned away', async () => {
  const signed = (count: number) =>
    `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from(`{"n":${count}}`).toString('base64url')}.AAAA`
  const statuses = await beside('flood of bad tokens', async () => {
    const seen: Record<string, number> = {}
    const until = performance.now() + 5000
    const one = async (lane: number) => {
      for (let count = 0; performance.now() < until; count++) {
        const token = count % 2 === 0 ? `tpd_${lane}x${count}` : signed(count)
        const answer = await fetch(`${tapdeck.url}/api/calls`, {
          headers: { authorization: `Bearer ${token}` },
        })
        await answer.text()
        seen[answer.status] = (seen[answer.status] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, lane) => one(lane)))
    return seen
  })
  expect(Object.keys(statuses).filter((status) => status !== '401' && status !== '429')).toEqual([])
})

function open(): Socket {
  const socket = connect(tapdeck.port, '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.resume()
  return socket
}
