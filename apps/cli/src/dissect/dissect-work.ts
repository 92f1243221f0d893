import { type Call, protocolNamed } from '@tapdeck/dissect'
import { createResolver, type Inventory } from '@tapdeck/inventory'
import { RestartableDissection } from '@tapdeck/parallel'
import { Pipeline } from '@tapdeck/pipeline'
import { createRedactor, noRules, type Redactor } from '@tapdeck/redact'
import { KeyStore } from '@tapdeck/tls'
import { type Loss, type Shard, TLS_KEY_LOG } from '@tapdeck/wire'
import { CallEncoder, type CallShape, type DeliverBatch } from './call-encoder.ts'
import { compileFilter } from './filter-option.ts'

/** What calls are wanted, and how. Plain data: it is handed to threads. */
export interface DissectSettings {
  readonly inventory: Inventory
  readonly kfl: string
  /** When the command was given, in Unix milliseconds: what a filter takes for now. */
  readonly now: number
  readonly shape: CallShape
  /** TLS secrets in NSS format; empty: none but those that the captures carry. */
  readonly keyLog: string
  /** Of the hashes that are printed instead of credentials, in hexadecimal; absent: credentials are printed. */
  readonly credentialKey?: string | undefined
}

/** What is known once all is read. */
export interface DissectCounts {
  readonly flows: number
  readonly byProtocol: Readonly<Record<string, number>>
  readonly loss: Loss
}

export interface DissectListener {
  readonly batch: DeliverBatch
  fault(protocol: string, error: string): void
}

/** Packets → lines of calls: all of them, or those of a shard. */
export class DissectWork extends RestartableDissection {
  readonly #encoder: CallEncoder
  readonly #secrets: { keys?: KeyStore }

  constructor(settings: DissectSettings, listener: DissectListener, shard?: Shard) {
    const encoder = new CallEncoder(
      {
        filter: compileFilter(settings.kfl, settings.now),
        shape: settings.shape,
      },
      listener.batch,
    )
    const secrets: { keys?: KeyStore } = {}
    const resolver = createResolver(settings.inventory)
    const name = (call: Call) => pipeline.name(call)
    const pipeline = new Pipeline(
      { names: { resolver: () => resolver }, redaction: redactionOf(settings), ordered: true },
      {
        call: (call) => encoder.addCall(call, name),
        flow: (flow, name) => encoder.addFlow(flow, name),
      },
    )
    super(
      {
        ...pipeline.handlers,
        keys: () => secrets.keys,
        fault: (error, protocol) => listener.fault(protocolNamed(protocol)?.title ?? protocol, String(error)),
      },
      shard,
    )
    this.#encoder = encoder
    this.#secrets = secrets
    if (settings.keyLog !== '') this.#addKeys(settings.keyLog, 'keylog')
  }

  secrets(type: number, data: Uint8Array): void {
    if (type === TLS_KEY_LOG) this.#addKeys(Buffer.from(data).toString('latin1'), 'secrets_block')
  }

  #addKeys(keyLog: string, origin: string): void {
    this.#secrets.keys ??= new KeyStore()
    this.#secrets.keys.addKeyLog(keyLog, origin)
  }

  /** Hands on the calls that are complete. */
  handOver(): void {
    this.#encoder.handOver()
  }

  finish(): DissectCounts {
    this.end()
    this.#encoder.handOver()
    const { flows, byProtocol } = this.#encoder
    return { flows, byProtocol, loss: this.loss }
  }
}

/** Undefined where calls are only counted. */
function redactionOf({ credentialKey, shape, kfl }: DissectSettings): Redactor | undefined {
  if (credentialKey === undefined || (shape === 'none' && kfl.trim() === '')) return undefined
  const redactor = createRedactor({ ...noRules, credentials: 'mask' })
  redactor?.setKey(Buffer.from(credentialKey, 'hex'))
  return redactor
}
