import { X509Certificate } from 'node:crypto'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { LinkCertificates, type LinkCertificatesOptions } from './link-certificates.ts'

const DAY = 86_400_000
const DAYS_365 = 365 * DAY

/** A store and a place of publication in memory, and a clock that only the test moves. */
class World {
  time = Date.UTC(2026, 0)
  text: string | undefined
  published: string[] = []
  isAway = false

  get options(): LinkCertificatesOptions {
    return {
      store: {
        address: 'the store of this test',
        read: async () => this.text,
        write: async (text) => {
          this.text = text
        },
      },
      publish: async (bundle) => {
        if (this.isAway) throw new Error('away')
        this.published.push(bundle)
      },
      names: ['tapdeck.tapdeck.svc', '10.96.0.7'],
      rotateAfterMs: DAYS_365,
      log: pino({ level: 'silent' }),
      now: () => this.time,
    }
  }

  /** Whether a worker that read a bundle accepts the present certificate. */
  accepts(bundle: string, certificates: LinkCertificates): boolean {
    const server = new X509Certificate(certificates.read().cert)
    return (bundle.match(/-----BEGIN.*?-----END CERTIFICATE-----/gs) ?? []).some((pem) => {
      const authority = new X509Certificate(pem)
      return server.checkIssued(authority) && server.verify(authority.publicKey)
    })
  }
}

it('makes an authority once, and a certificate of the server with the given names', async () => {
  const world = new World()
  const first = await LinkCertificates.open(world.options)
  expect(world.published).toEqual([first.bundle])
  expect(world.accepts(first.bundle, first)).toBe(true)
  const { subjectAltName } = new X509Certificate(first.read().cert)
  for (const name of ['DNS:tapdeck.tapdeck.svc', 'DNS:localhost', 'IP Address:10.96.0.7'])
    expect(subjectAltName).toContain(name)
  await first.close()
  const again = await LinkCertificates.open(world.options)
  expect(again.bundle).toBe(first.bundle)
  expect(world.accepts(first.bundle, again)).toBe(true)
  await again.close()
})

it('a worker that reads the authorities within a day never meets a certificate that it does not know', async () => {
  const world = new World()
  const certificates = await LinkCertificates.open({ ...world.options, rotateAfterMs: 40 * DAY })
  let known = certificates.bundle
  let [rotations, serials] = [0, new Set<string>()]
  for (let hours = 0; hours < 100 * 24; hours += 6) {
    world.time += 6 * 3_600_000
    await certificates.renew()
    expect(world.accepts(known, certificates)).toBe(true)
    const { validTo, serialNumber } = new X509Certificate(certificates.read().cert)
    expect(Date.parse(validTo)).toBeGreaterThan(world.time + DAY)
    serials = serials.add(serialNumber)
    // This worker reads the file of its authorities only once in 18 hours.
    if (hours % 18 !== 0) continue
    const latest = world.published.at(-1)!
    if (latest !== known) rotations++
    known = latest
  }
  expect(rotations).toBeGreaterThanOrEqual(2)
  expect(serials.size).toBeGreaterThan(80)
  await certificates.close()
})

it('a new authority signs nothing before it could be published', async () => {
  const world = new World()
  const certificates = await LinkCertificates.open(world.options)
  const before = certificates.bundle
  world.isAway = true
  for (let day = 0; day < 400; day++) {
    world.time += DAY
    await certificates.renew()
  }
  expect(certificates.bundle).not.toBe(before)
  expect(world.accepts(before, certificates)).toBe(true)
  world.isAway = false
  await certificates.renew()
  expect(world.accepts(before, certificates)).toBe(true)
  world.time += DAY
  await certificates.renew()
  expect(world.accepts(before, certificates)).toBe(false)
  expect(world.accepts(world.published.at(-1)!, certificates)).toBe(true)
  await certificates.close()
})

it('a damaged store is not replaced by a new authority that no worker trusts', async () => {
  const world = new World()
  world.text = '{"authorities": 1}'
  await expect(LinkCertificates.open(world.options)).rejects.toThrow(/the store of this test/)
  expect(world.text).toBe('{"authorities": 1}')
})
