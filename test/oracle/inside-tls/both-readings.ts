import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Call, Dissection } from '@tapdeck/dissect'
import { KeyStore } from '@tapdeck/tls'
import { type BuiltPacket, feed, MICROSECONDS, pcap } from '@tapdeck/wire/testing'
import { toCallRecord } from '../../../packages/dissect/src/call/engine-call.ts'

const run = promisify(execFile)

/** What tshark and we find inside a connection with these keys: messages of HTTP and SMTP, queries of PostgreSQL. */
export async function bothReadings(
  packets: readonly BuiltPacket[],
  keyLog: string,
): Promise<{ ours: string[]; theirs: string[] }> {
  return { ours: ourReading(packets, keyLog), theirs: await tsharkReading(packets, keyLog) }
}

function ourReading(packets: readonly BuiltPacket[], keyLog: string): string[] {
  const keys = new KeyStore()
  keys.addKeyLog(keyLog)
  const found: { readonly time: number; readonly text: string }[] = []
  const dissection = new Dissection({
    emit: (call) => found.push(...messagesOf(call)),
    fault: (error) => {
      throw error
    },
    keys: () => keys,
  })
  feed(dissection, [...packets])
  dissection.end()
  return found.sort((a, b) => a.time - b.time).map(({ text }) => text)
}

function* messagesOf(call: Call): Generator<{ readonly time: number; readonly text: string }> {
  const { src, dst } = { src: call.flow.ends[call.side], dst: call.flow.ends[call.side === 0 ? 1 : 0] }
  const { decrypted, proto, method, path, status, request } = toCallRecord(
    call,
    { src, dst },
    'node',
    'test',
  ).toJSON()
  if (decrypted !== true) return
  const { start } = call
  const end = call.response?.end ?? start
  if (proto === 'http') {
    if (method !== undefined) yield { time: start, text: `${method} ${path}` }
    if (status !== undefined) yield { time: end, text: String(status) }
  } else if (proto === 'smtp') yield { time: start, text: `${method}` }
  else if (proto === 'postgresql' && request !== undefined && /^SELECT/.test(String(path ?? request.body)))
    yield { time: start, text: String(path ?? request.body) }
}

async function tsharkReading(packets: readonly BuiltPacket[], keyLog: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-inside-tls-'))
  try {
    const [file, keys] = [join(folder, 'capture.pcap'), join(folder, 'keys.log')]
    writeFileSync(file, pcap(MICROSECONDS, true)(packets))
    writeFileSync(keys, keyLog)
    const fields = [
      'http.request.method',
      'http.request.uri',
      'http.response.code',
      'smtp.req.command',
      'pgsql.query',
    ]
    const options = ['-o', `tls.keylog_file:${keys}`, '-d', 'tls.port==443,http', '-2', '-n']
    const shown = fields.flatMap((field) => ['-e', field])
    const wanted = 'tls and (http or smtp.req or pgsql.query)'
    const { stdout } = await run('tshark', [
      '-r',
      file,
      ...options,
      '-Y',
      wanted,
      '-T',
      'fields',
      '-E',
      'aggregator=|',
      ...shown,
    ])
    return stdout.split('\n').flatMap((line) => {
      const [methods = '', uris = '', codes = '', commands = '', queries = ''] = line.split('\t')
      const uri = uris.split('|')
      return [
        ...parts(methods).map((method, at) => `${method} ${uri[at]}`),
        ...parts(codes),
        ...parts(commands),
        ...parts(queries),
      ]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function parts(text: string): string[] {
  return text === '' ? [] : text.split('|')
}
