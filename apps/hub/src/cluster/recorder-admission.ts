import { Problem, recorderName } from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import type { Config } from '@tapdeck/config'
import type { LinkCertificates } from './link-certificates.ts'
import type { Workers } from './workers.ts'

export interface RecorderAdmissionOptions {
  readonly workers: Pick<Workers, 'connected'>
  readonly config: Config
  /** Absent: the certificate of the port for workers is given. */
  readonly certificates: Pick<LinkCertificates, 'bundle'> | undefined
  /** What credentials of workers are made of. */
  readonly secret: string
}

export interface RecordedPod {
  readonly namespace: string
  readonly pod: string
  /** Where it runs, if the caller knows. */
  readonly node?: string | undefined
}

/** Lets recorders of single pods join as workers, each with a credential for its own pod that ends. */
export class RecorderAdmission {
  readonly #options: RecorderAdmissionOptions

  constructor(options: RecorderAdmissionOptions) {
    this.#options = options
  }

  /** `until`: Unix milliseconds. Throws 409 where a recorder could not join, or would record what is recorded already. */
  admit({ namespace, pod, node }: RecordedPod, until: number) {
    const { workers, config, certificates, secret } = this.#options
    const { link } = config.hub
    const { redaction, capture, index } = config.tap
    const [host = 'localhost'] = link.names.toSorted((a, b) => depth(b) - depth(a))
    if (link.port === 0)
      throw new Problem(409, 'no_worker_port', 'This hub has no port with TLS for workers', {
        hint: 'Set hub.link.port and hub.link.names; the chart does. Or run the recorder alone.',
      })
    if (index.engine === 'clickhouse')
      throw new Problem(
        409,
        'shared_index',
        'The calls of this hub are in ClickHouse, which a recorder of a pod cannot use',
        {
          hint: 'Run the recorder alone.',
        },
      )
    const name = recorderName(namespace, pod)
    const connected = new Set(workers.connected.map((worker) => worker.node))
    if (node !== undefined && connected.has(node))
      throw new Problem(409, 'recorded_already', `The worker of node "${node}" records this pod already`, {
        hint: `Filter by the pod instead, such as src.pod == "${pod}" or dst.pod == "${pod}".`,
      })
    if (connected.has(name))
      throw new Problem(
        409,
        'recorded_already',
        `A recorder of pod "${namespace}/${pod}" is connected already`,
      )
    const seconds = Math.ceil(until / 1000)
    return {
      name,
      url: `https://${host}:${link.port}`,
      ca: certificates?.bundle ?? null,
      credential: workerCredential(secret, name, seconds),
      // Else its calls would be stored with what others must not see.
      values: { tap: { redaction, capture: { dissection: { bodyBytes: capture.dissection.bodyBytes } } } },
      expires_at: new Date(seconds * 1000).toISOString(),
    }
  }
}

/** The longest name of a Service does not depend on the search domains of a pod. */
function depth(name: string): number {
  return name.split('.').length
}
