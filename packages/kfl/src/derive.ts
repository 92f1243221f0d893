import type { Derivation } from './field.ts'
import type { Read } from './read-path.ts'

/** The reference numbering of capture sources. */
const CAPTURE_CODES: Readonly<Record<string, number>> = { unspecified: 0, af_packet: 1, ebpf: 2, ebpf_tls: 3 }

export function derive(derivation: Derivation, read: Read): Read {
  switch (derivation) {
    case 'json-text':
      return (call) => parsed(read(call))
    case 'ordinal':
      return (call) => ordinal(read(call))
    case 'hex':
      return (call) => {
        const value = read(call)
        return typeof value === 'number' ? value.toString(16) : undefined
      }
    case 'capture-backend':
      return (call) => backend(read(call))
    case 'capture':
      return (call) => {
        const source = read(call)
        return typeof source === 'string' ? { source, backend: backend(source) } : undefined
      }
    case 'capture-code':
      return (call) => {
        const source = read(call)
        return typeof source === 'string' && Object.hasOwn(CAPTURE_CODES, source)
          ? CAPTURE_CODES[source]
          : undefined
      }
    case 'resolution':
      return (call) => resolution(read(call))
  }
}

function backend(source: unknown): string | undefined {
  if (typeof source !== 'string') return undefined
  return source.startsWith('ebpf') ? 'ebpf' : source
}

/** An id is `<node>/<flow>/<ordinal>`. */
function ordinal(id: unknown): number | undefined {
  if (typeof id !== 'string') return undefined
  const last = id.slice(id.lastIndexOf('/') + 1)
  return /^\d{1,15}$/.test(last) ? Number(last) : undefined
}

function resolution(peer: unknown): string | undefined {
  if (typeof peer !== 'object' || peer === null) return undefined
  const named = ['pod', 'svc', 'dns'].some(
    (key) => typeof (peer as Record<string, unknown>)[key] === 'string',
  )
  return named ? 'resolved' : 'unresolved'
}

const JSON_START = /^[ \t\r\n]*[[{"\-\dtfn]/

const LONG_NUMBER = /\d{16}/
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Whole numbers that a double cannot hold become the text that writes them: ids would be confused with their neighbours. */
function exact(json: string): string {
  return json.replace(STRING_OR_NUMBER, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  )
}

/** Filters ask several things of one body in a row: the last one read stays parsed. */
let lastText: string | undefined
let lastValue: unknown

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (text === lastText) return lastValue
  let value: unknown
  // Most bodies that are no JSON show it at once, and a failed parse is slow.
  if (JSON_START.test(text)) {
    try {
      value = JSON.parse(text)
      if (LONG_NUMBER.test(text)) value = JSON.parse(exact(text))
    } catch {
      value = undefined
    }
  }
  lastText = text
  lastValue = value
  return value
}
