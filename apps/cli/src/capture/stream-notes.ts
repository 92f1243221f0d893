import { CaptureNotes, CaptureReader, type PacketSink } from '@tapdeck/wire'

const INCOMPLETE = 'tapdeck: incomplete: '
const noSink: PacketSink = { packet() {} }

/** What a stream says besides packets, as it comes: names, and notices of what is missing. */
export class StreamNotes extends CaptureNotes {
  readonly #notice: (text: string) => void

  constructor(notice: (text: string) => void) {
    super()
    this.#notice = notice
  }

  /** Comments of packets are for Wireshark. */
  override comment(text: string, packet?: number): void {
    if (packet === undefined) this.#notice(text.replace(/^tapdeck: /, ''))
  }

  /** Secrets are passed on, and not kept. */
  override secret(): void {}

  /** The last name of an address, which is the one that Wireshark shows. */
  nameOf(ip: string): string | undefined {
    return this.names.get(ip)?.at(-1)
  }

  /** The end of a past window may say that it is incomplete. */
  noteEnd(): void {
    const { application = '' } = this
    if (application.startsWith(INCOMPLETE)) this.#notice(application.slice(INCOMPLETE.length))
  }
}

/** A reader of a stream that is only listened to. */
export function listeningReader(notes: StreamNotes, sink: PacketSink = noSink): CaptureReader {
  return new CaptureReader(sink, {}, notes)
}
