/** What differs between versions of QUIC in how a connection begins. */
export interface QuicVersion {
  readonly name: string
  readonly salt: string
  readonly label: string
  /** Types of long-header packets by what their bits say. */
  readonly types: readonly ('initial' | 'early' | 'handshake' | 'retry')[]
}

const FIRST = ['initial', 'early', 'handshake', 'retry'] as const

/** RFC 9001 §5.2, RFC 9369 §3.3, and the last draft that was widely deployed. */
const VERSIONS: ReadonlyMap<number, QuicVersion> = new Map([
  [1, { name: '1', salt: '38762cf7f55934b34d179ae6a4c80cadccbb7f0a', label: 'quic', types: FIRST }],
  [
    0x6b3343cf,
    {
      name: '2',
      salt: '0dede3def700a6db819381be6e269dcbf9bd2ed9',
      label: 'quicv2',
      types: ['retry', 'initial', 'early', 'handshake'],
    },
  ],
  [
    0xff00001d,
    { name: 'draft 29', salt: 'afbfec289993d24c9e9786f19c6111e04390a899', label: 'quic', types: FIRST },
  ],
])

export function quicVersion(code: number): QuicVersion | undefined {
  return VERSIONS.get(code)
}

export function quicVersionName(code: number): string {
  return VERSIONS.get(code)?.name ?? `0x${code.toString(16).padStart(8, '0')}`
}
