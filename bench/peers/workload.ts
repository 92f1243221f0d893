import type { CaptureFile } from './capture-file.ts'
import { TcpTalk } from './tcp-talk.ts'

/** Traffic of one kind, made up, and how its peers are asked about it. */
export interface Workload {
  readonly name: string
  /** Short, for file names. */
  readonly word: string
  /** Fills a file up to that many bytes; returns the calls in it. */
  write(file: CaptureFile, bytes: number): number
  /** Display filter and fields that make tshark dissect these calls and pair what it can pair. */
  readonly tshark: { readonly filter: string; readonly fields: readonly string[] }
  /** What Suricata calls the protocol in its log, where it knows it. */
  readonly suricata?: string
}

const CLIENTS = 0x0a000001
const SERVERS = 0x0a640001

/** The `number`-th connection of a capture, between some of 4,000 clients and 16 servers. */
export function connect(file: CaptureFile, number: number, port: number): TcpTalk {
  const client = CLIENTS + (number % 4000)
  const clientPort = 32_768 + (Math.floor(number / 4000) % 28_000)
  return new TcpTalk(file, client, clientPort, SERVERS + (number % 16), port)
}

/** Speaks on several connections in turn until the file is full, and closes them. */
export function interleave<T>(
  file: CaptureFile,
  bytes: number,
  connections: readonly T[],
  speak: (connection: T) => void,
): void {
  for (let turn = 0; file.bytes < bytes; turn++) speak(connections[turn % connections.length])
}
