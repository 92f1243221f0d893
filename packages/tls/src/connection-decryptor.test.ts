import { once } from 'node:events'
import type { ConnectionOptions } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { ConnectionDecryptor, TLS_1_2, TLS_1_3 } from './connection-decryptor.ts'
import { KeyStore } from './key-store.ts'
import { CONTENT_TYPE, RECORD_HEADER_LENGTH } from './record-cipher.ts'
import { type RecordedBytes, recordTls } from './testing/index.ts'

const REQUEST = 'a question '.repeat(4000)
const RESPONSE = 'an answer '.repeat(5000)

const TLS_1_3_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_CCM_SHA256',
  'TLS_AES_128_CCM_8_SHA256',
]
/** IANA name by the name that OpenSSL uses. */
const TLS_1_2_SUITES = {
  'ECDHE-ECDSA-AES128-GCM-SHA256': 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384': 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305': 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-CCM': 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM',
  'ECDHE-ECDSA-AES256-CCM8': 'TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8',
  'ECDHE-ECDSA-AES128-SHA': 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'ECDHE-ECDSA-AES128-SHA256': 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
  'ECDHE-ECDSA-AES256-SHA384': 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384',
}

describe('a recorded connection with its key log', () => {
  test.each(TLS_1_3_SUITES)('opens under TLS 1.3 with %s', async (suite) => {
    const recorded = await converse({ minVersion: 'TLSv1.3', ciphers: suite })
    expect(recorded.open()).toEqual([REQUEST, RESPONSE])
  })

  test.each(Object.entries(TLS_1_2_SUITES))('opens under TLS 1.2 with %s', async (ciphers, suite) => {
    const recorded = await converse({ maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` }, suite)
    expect(recorded.open()).toEqual([REQUEST, RESPONSE])
  })

  test('stays closed without the keys, with the keys of another connection, and under an unknown suite', async () => {
    const [first, second] = [await converse({}), await converse({})]
    expect(ConnectionDecryptor.create(first.handshake, undefined)).toBe('no_key')
    const unknown = { ...first.handshake, suite: 'TLS_RSA_WITH_RC4_128_MD5' }
    expect(ConnectionDecryptor.create(unknown, first.secrets)).toBe('unsupported_suite')
    expect(ConnectionDecryptor.create({ ...first.handshake, version: 0x0301 }, first.secrets)).toBe(
      'unsupported_version',
    )
    const wrong = first.decryptor(second.secrets)
    for (const record of first.sealed(1)) expect(wrong.open(1, record)).toBeUndefined()
  })

  test('opens the records after the lost ones', async () => {
    const recorded = await converse({})
    const records = recorded.sealed(1)
    for (const dropped of [1, 2, records.length - 2]) {
      const decryptor = recorded.decryptor()
      const all = records.map((record, at) => {
        if (at < 1 || at > dropped) return decryptor.open(1, record)
        decryptor.lost(1)
        return undefined
      })
      expect(all.filter((opened) => opened === undefined)).toHaveLength(dropped)
    }
  })

  test('skips damaged records', async () => {
    const recorded = await converse({})
    const decryptor = recorded.decryptor()
    const opened = recorded.sealed(1).map((record, at) => {
      const damaged = Buffer.from(record)
      if (at % 3 === 2) damaged[damaged.length - 1] ^= 1
      return decryptor.open(1, damaged) !== undefined
    })
    expect(opened).toEqual(opened.map((_, at) => at % 3 !== 2))
  })

  test('opens without the secrets of the handshake', async () => {
    const recorded = await converse({})
    const { CLIENT_TRAFFIC_SECRET_0, SERVER_TRAFFIC_SECRET_0 } = recorded.secrets
    if (CLIENT_TRAFFIC_SECRET_0 === undefined || SERVER_TRAFFIC_SECRET_0 === undefined)
      throw new Error('no secrets')
    expect(recorded.open({ CLIENT_TRAFFIC_SECRET_0, SERVER_TRAFFIC_SECRET_0 })).toEqual([REQUEST, RESPONSE])
  })

  test('gives up after many records that no key opens', async () => {
    const recorded = await converse({})
    const decryptor = recorded.decryptor()
    const [record = Buffer.alloc(0)] = recorded.sealed(1)
    const damaged = Buffer.from(record)
    damaged[damaged.length - 1] ^= 1
    let tried = 0
    while (!decryptor.gaveUp(1) && tried < 1000) {
      expect(decryptor.open(1, damaged)).toBeUndefined()
      tried++
    }
    expect(decryptor.gaveUp(1)).toBe(true)
    expect(decryptor.open(1, record)).toBeUndefined()
  })

  test.each([1, 4, 5, 6, 20, 21])('a record of %i bytes does not open and does not throw', async (length) => {
    for (const options of [{}, { maxVersion: 'TLSv1.2' as const }]) {
      const recorded = await converse(options, 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384')
      expect(recorded.decryptor().open(0, new Uint8Array(length))).toBeUndefined()
    }
  })
})

async function converse(options: ConnectionOptions, suite?: string) {
  let chosen = ''
  const { bytes, keyLog } = await recordTls({
    client: options,
    server: options.ciphers === undefined ? {} : { ciphers: options.ciphers },
    serve: (socket) => {
      let asked = 0
      socket.on('data', (data) => {
        asked += data.length
        if (asked === REQUEST.length) socket.write(RESPONSE)
      })
    },
    ask: async (socket) => {
      chosen = socket.getCipher().standardName
      let answered = 0
      socket.write(REQUEST)
      while (answered < RESPONSE.length) answered += (await once(socket, 'data'))[0].length
    },
  })
  return new Recorded(bytes, keyLog, suite ?? chosen)
}

/** A connection as recorded, and what opens it. */
class Recorded {
  readonly handshake
  readonly secrets
  readonly #records: readonly [Buffer[], Buffer[]]

  constructor(bytes: readonly RecordedBytes[], keyLog: string, suite: string) {
    this.#records = [recordsOf(bytes, 0), recordsOf(bytes, 1)]
    const [[clientHello], [serverHello]] = this.#records
    if (clientHello === undefined || serverHello === undefined) throw new Error('no hello messages')
    const [clientRandom, serverRandom] = [clientHello.subarray(11, 43), serverHello.subarray(11, 43)]
    const is13 = keyLog.includes('SERVER_TRAFFIC_SECRET_0')
    // OpenSSL clients offer encrypt-then-MAC, and servers accept it for each CBC suite.
    const encryptThenMac = suite.includes('CBC')
    this.handshake = { version: is13 ? TLS_1_3 : TLS_1_2, suite, clientRandom, serverRandom, encryptThenMac }
    const store = new KeyStore()
    store.addKeyLog(keyLog)
    this.secrets = store.secretsOf(clientRandom.toString('hex')) ?? {}
  }

  decryptor(secrets = this.secrets): ConnectionDecryptor {
    const made = ConnectionDecryptor.create(this.handshake, secrets)
    if (typeof made === 'string') throw new Error(made)
    return made
  }

  /** The encrypted records of a side: all after its ChangeCipherSpec. */
  sealed(side: 0 | 1): Buffer[] {
    const records = this.#records[side]
    return records.slice(records.findIndex((record) => record[0] === CONTENT_TYPE.changeCipherSpec) + 1)
  }

  /** The application data of both sides. */
  open(secrets = this.secrets): readonly string[] {
    const decryptor = this.decryptor(secrets)
    return ([0, 1] as const).map((side) => {
      const opened = this.sealed(side).map((record) => decryptor.open(side, record))
      const data = opened.filter((record) => record?.type === CONTENT_TYPE.applicationData)
      return Buffer.concat(data.map((record) => record?.bytes ?? new Uint8Array(0))).toString()
    })
  }
}

function recordsOf(bytes: readonly RecordedBytes[], side: 0 | 1): Buffer[] {
  const all = Buffer.concat(bytes.filter((part) => part.side === side).map((part) => part.bytes))
  const records: Buffer[] = []
  for (let at = 0; at + RECORD_HEADER_LENGTH <= all.length; ) {
    const end = at + RECORD_HEADER_LENGTH + all.readUInt16BE(at + 3)
    records.push(all.subarray(at, end))
    at = end
  }
  return records
}
