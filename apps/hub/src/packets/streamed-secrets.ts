import { TLS_KEY_LOG } from '@tapdeck/wire'
import type { Worker } from '../cluster/worker.ts'
import type { PcapngCapture } from '../export/capture-writer.ts'
import { keyLogs } from '../export/exported-secrets.ts'
import type { SnapshotKeys } from '../snapshots/snapshot-keys.ts'
import type { PacketOutlet } from './packet-outlet.ts'

/** Secrets that are remembered as written. One that was forgotten may be written again. */
const MAX_WRITTEN = 200_000
/** Secrets are taken from processes a moment after they were made. */
const OVERLAP_MS = 5000

/** Brings the TLS secrets of nodes into a live capture, each once, before the packets that they open. */
export class StreamedSecrets {
  readonly #keys: Pick<SnapshotKeys, 'of'>
  readonly #written = new Set<string>()
  /** Of each node, up to when its secrets were asked for. */
  readonly #until = new Map<string, number>()

  constructor(keys: Pick<SnapshotKeys, 'of'>) {
    this.#keys = keys
  }

  async bring(
    worker: Worker,
    until: number,
    outlet: PacketOutlet,
    writer: PcapngCapture,
    signal: AbortSignal,
  ): Promise<void> {
    if (!worker.report.tls_keys) return
    const before = this.#until.get(worker.node)
    const after = before === undefined ? {} : { after: before - OVERLAP_MS }
    const found = await this.#keys.of(worker, { start: before ?? until, end: until, ...after }, signal)
    this.#until.set(worker.node, until)
    const fresh = found.map(({ line }) => line.trim()).filter((line) => !this.#written.has(line))
    for (const line of fresh) this.#written.add(line)
    for (const block of keyLogs(fresh)) writer.secrets(outlet.output, TLS_KEY_LOG, block)
    for (const oldest of this.#written) {
      if (this.#written.size <= MAX_WRITTEN) break
      this.#written.delete(oldest)
    }
    await outlet.written()
  }
}
