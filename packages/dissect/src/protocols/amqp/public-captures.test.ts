import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/', import.meta.url)

const OPENING = ['protocol-header', 'connection.start ok', 'connection.tune ok', 'connection.open / ok']
const CLOSING = ['channel.close ok', 'connection.close ok']
const QUEUE = 'amq.gen-Iq95Zja_wgS1oeYQv1bfSg'
const MISSING = "404 NOT_FOUND - no exchange 'plop' in vhost '/'"

/** Every method that tshark 4.0 shows, with its answer. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'amqp_publish.pcap': [
    ...OPENING,
    'channel.open ok',
    'queue.declare hello ok',
    'basic.publish hello',
    ...CLOSING,
  ],
  'amqp_emit_receive.pcap': [
    ...OPENING,
    'channel.open ok',
    'exchange.declare logs ok',
    `queue.declare ${QUEUE} ok`,
    `queue.bind ${QUEUE} ok`,
    `basic.consume ${QUEUE} ok`,
    ...OPENING,
    'channel.open ok',
    'exchange.declare logs ok',
    'basic.publish logs',
    'basic.deliver logs',
    ...CLOSING,
  ],
  // The exchange is declared without waiting; the close is the answer to the binding.
  'amqp_channel_error.pcap': [
    ...OPENING,
    'channel.open ok',
    'exchange.declare titres',
    'queue.declare my_queue ok',
    `queue.bind my_queue ${MISSING}`,
    `channel.close ${MISSING}`,
  ],
}

function lines(name: string): string[] {
  return observe(captureFixture(new URL(name, folder)).events).calls.map(({ method, path, status, error }) =>
    [method, path, status, error].filter((part) => part !== undefined).join(' '),
  )
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('%s gives every call', (name, expected) => {
    expect(lines(name)).toEqual(expected)
  })
})
