/** Labels of the NSS key log format that open records. */
export const KEY_LABELS = [
  'CLIENT_RANDOM',
  'CLIENT_EARLY_TRAFFIC_SECRET',
  'CLIENT_HANDSHAKE_TRAFFIC_SECRET',
  'SERVER_HANDSHAKE_TRAFFIC_SECRET',
  'CLIENT_TRAFFIC_SECRET_0',
  'SERVER_TRAFFIC_SECRET_0',
] as const

export type KeyLabel = (typeof KEY_LABELS)[number]

/** One line of a key log: a secret of the connection whose client sent this random. */
export interface KeyLogEntry {
  readonly label: KeyLabel
  /** 32 bytes as lower-case hex. */
  readonly clientRandom: string
  readonly secret: Uint8Array
}

const LINE = /^([A-Z0-9_]+) ([0-9a-fA-F]{64}) ([0-9a-fA-F]{64,128})$/
/** Such as EXPORTER_SECRET. */
const OTHER_ENTRY = /^[A-Z0-9_]+ [0-9a-fA-F]{64} (?:[0-9a-fA-F]{2})+\s*$/
const LABELS: ReadonlySet<string> = new Set(KEY_LABELS)
const SECRET_LENGTHS: readonly number[] = [32, 48]

/** Reads one line; undefined for comments, other labels and damaged lines. */
export function parseKeyLogLine(line: string): KeyLogEntry | undefined {
  const match = LINE.exec(line.trimEnd())
  if (match === null) return undefined
  const [, label = '', random = '', hex = ''] = match
  if (!isKeyLabel(label) || !SECRET_LENGTHS.includes(hex.length / 2)) return undefined
  return { label, clientRandom: random.toLowerCase(), secret: Buffer.from(hex, 'hex') }
}

/** Reads a whole key log. `skipped` counts damaged lines; entries with other labels are not needed to open records. */
export function parseKeyLog(text: string): { entries: KeyLogEntry[]; skipped: number } {
  const entries: KeyLogEntry[] = []
  let skipped = 0
  for (const line of text.split('\n')) {
    const entry = parseKeyLogLine(line)
    if (entry !== undefined) entries.push(entry)
    else if (line.trim() !== '' && !line.startsWith('#') && !OTHER_ENTRY.test(line)) skipped++
  }
  return { entries, skipped }
}

export function formatKeyLogEntry({ label, clientRandom, secret }: KeyLogEntry): string {
  return `${label} ${clientRandom} ${Buffer.from(secret).toString('hex')}`
}

function isKeyLabel(label: string): label is KeyLabel {
  return LABELS.has(label)
}
