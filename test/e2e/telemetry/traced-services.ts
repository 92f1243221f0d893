import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('traced-service.mjs', import.meta.url))

export type Propagation = 'w3c' | 'b3' | 'b3-headers'

/** Two instrumented services in processes of their own: `front` calls `back` for each request. */
export class TracedServices {
  readonly url: string
  readonly frontPort: number
  readonly backPort: number
  readonly #children: readonly ChildProcess[]

  private constructor(frontPort: number, backPort: number, children: readonly ChildProcess[]) {
    this.url = `http://127.0.0.1:${frontPort}`
    this.frontPort = frontPort
    this.backPort = backPort
    this.#children = children
  }

  static async start(receiver: string, propagation: Propagation): Promise<TracedServices> {
    const shared = { RECEIVER: receiver, PROPAGATION: propagation }
    const back = await start({ ...shared, NAME: `back-${propagation}` })
    const front = await start({
      ...shared,
      NAME: `front-${propagation}`,
      NEXT: `http://127.0.0.1:${back.port}`,
    })
    return new TracedServices(front.port, back.port, [front.child, back.child])
  }

  /** They send the spans that they still have. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map((child) => {
        if (child.exitCode !== null) return undefined
        const gone = once(child, 'exit')
        child.stdin?.end()
        return gone
      }),
    )
  }
}

async function start(env: Readonly<Record<string, string>>): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, OTEL_SEMCONV_STABILITY_OPT_IN: 'http', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of child.stdout!) {
    printed += chunk
    if (printed.includes('\n')) break
  }
  const port = Number(printed.trim())
  if (!Number.isInteger(port) || port === 0) throw new Error(`the service did not start: ${printed}`)
  return { child, port }
}
