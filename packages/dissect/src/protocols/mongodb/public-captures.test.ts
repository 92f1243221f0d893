import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/', import.meta.url)

function lines(name: string): string[] {
  return observe(captureFixture(new URL(name, folder)).events).calls.map(
    ({ proto, method, path, status, error }) =>
      [proto, method, path, status, error].filter((part) => part !== undefined).join(' '),
  )
}

/** Calls, as many as tshark (`-d tcp.port==27017,mongo`) shows requests, or replies where the request is missing. */
const EXPECTED: readonly (readonly [name: string, count: number, first: string])[] = [
  ['mongo_3.0_session', 24, 'mongodb listCollections test ok'],
  ['mongo_one_row', 1, 'mongodb find test.restaurants ok'],
  ['mongodb_create_collection', 4, 'mongodb find testDB.system.namespaces ok'],
  ['mongodb_find', 2, 'mongodb find testDB.testCollection ok'],
  ['mongodb_insert_duplicate_key', 3, 'mongodb insert test.restaurants 11000 DuplicateKey'],
  ['mongodb_inserts', 5, 'mongodb isMaster admin ok'],
  ['mongodb_more_rows', 1, 'mongodb find test.restaurants ok'],
  ['mongodb_op_msg_opcode', 101, 'mongodb replSetHeartbeat admin 93 InvalidReplicaSetConfig'],
  ['mongodb_reply_request_reply', 2, 'mongodb ok midstream'],
  ['mongodb_use_db', 1, 'mongodb isMaster testDB ok'],
]

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(EXPECTED)('%s', (name, count, first) => {
    const calls = lines(`${name}.pcap`)
    expect([calls.length, calls[0]]).toEqual([count, first])
  })
})
