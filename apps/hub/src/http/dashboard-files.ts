import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

/** Nothing but our own files: no inline script, no foreign host, no frame around us. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const MAX_BYTES = 64 * 1024 * 1024

interface Asset {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly packed: Uint8Array<ArrayBuffer> | undefined
  readonly tag: string
  readonly lasting: boolean
}

/** The built dashboard, held in memory. Only what was found at the start is served, so no path leads elsewhere. */
export class DashboardFiles {
  readonly #assets: ReadonlyMap<string, Asset>

  private constructor(assets: ReadonlyMap<string, Asset>) {
    this.#assets = assets
  }

  /** A folder that does not exist gives an empty dashboard. */
  static async load(folder: string): Promise<DashboardFiles> {
    const assets = new Map<string, Asset>()
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    let total = 0
    for (const name of names) {
      const path = join(folder, name)
      const status = await stat(path)
      if (!status.isFile()) continue
      total += status.size
      if (total > MAX_BYTES) throw new Error(`${folder} is larger than ${MAX_BYTES} bytes`)
      const url = `/${relative(folder, path).split(sep).join('/')}`
      assets.set(url, asset(name, new Uint8Array(await readFile(path))))
    }
    return new DashboardFiles(assets)
  }

  get size(): number {
    return this.#assets.size
  }

  /** Pages of the dashboard have addresses of their own; a browser that opens one gets the dashboard. */
  serve(path: string, request: Request): Response | undefined {
    const found = this.#assets.get(path === '/' ? '/index.html' : path)
    if (found) return answer(found, request)
    const navigates = request.headers.get('accept')?.includes('text/html') && extname(path) === ''
    const index = navigates && !/^\/(api|mcp|internal)(\/|$)/.test(path) && this.#assets.get('/index.html')
    return index ? answer(index, request) : undefined
  }
}

function asset(name: string, bytes: Uint8Array<ArrayBuffer>): Asset {
  const type = types[extname(name)] ?? 'application/octet-stream'
  const packed = /^text|json|svg/.test(type) ? new Uint8Array(gzipSync(bytes)) : undefined
  return {
    type,
    bytes,
    packed,
    tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    // A name with a hash in it never means anything else.
    lasting: /[.-](?=[a-z_-]*[A-Z0-9])[A-Za-z0-9_-]{8,}\.\w+$/.test(name) && !name.endsWith('.html'),
  }
}

function answer({ type, bytes, packed, tag, lasting }: Asset, request: Request): Response {
  const gzip = packed !== undefined && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  const headers = new Headers({
    'content-type': type,
    'cache-control': lasting ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    vary: 'accept-encoding',
  })
  if (request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers })
  if (gzip) headers.set('content-encoding', 'gzip')
  return new Response(gzip ? packed : bytes, { headers })
}
