import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, requestsTo } from './servers.ts'
import { Stage } from './stage.ts'
import type { Target } from './target.ts'

const nodeServer = `
const pem = require('node:fs').readFileSync(process.argv[2])
require('node:https')
  .createServer({ key: pem, cert: pem }, (request, response) => response.end('hello ' + request.url))
  .listen(Number(process.argv[3]), '127.0.0.1')
`
const goServer = `package main

import ("fmt"; "net/http"; "os")

func main() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello ", r.URL.Path) })
	panic(http.ListenAndServeTLS("127.0.0.1:"+os.Args[2], os.Args[1], os.Args[1], handler))
}
`

function nginxConfiguration(stage: Stage, port: number): string {
  return `
daemon off; user root; worker_processes 1; error_log ${stage.folder}/nginx.log; pid ${stage.folder}/nginx.pid;
events {}
http {
  access_log off; client_body_temp_path ${stage.folder}/body; proxy_temp_path ${stage.folder}/proxy;
  fastcgi_temp_path ${stage.folder}/fastcgi; uwsgi_temp_path ${stage.folder}/uwsgi; scgi_temp_path ${stage.folder}/scgi;
  server {
    listen 127.0.0.1:${port} ssl; ssl_certificate ${stage.pem}; ssl_certificate_key ${stage.pem};
    ssl_protocols TLSv1.2 TLSv1.3;
    location / { return 200 "hello"; }
  }
}`
}

const nginx: Target = {
  name: 'nginx',
  missing: () => (Stage.find('nginx') === undefined ? 'nginx is not installed' : undefined),
  async open(stage, version) {
    const port = await freePort()
    const configuration = stage.write('nginx.conf', nginxConfiguration(stage, port))
    const command = stage.link('nginx', Stage.find('nginx') ?? 'nginx')
    await stage.start(command, ['-c', configuration], port)
    return requestsTo(stage, port, version)
  },
}

function nodeTarget(name: string, findNode: () => string | undefined): Target {
  return {
    name,
    missing: () => (findNode() === undefined ? 'it could not be installed from npm' : undefined),
    async open(stage, version) {
      const port = await freePort()
      const program = stage.copy('node', findNode() ?? process.execPath)
      await stage.start(program, [stage.write('server.cjs', nodeServer), stage.pem, String(port)], port)
      return requestsTo(stage, port, version)
    },
  }
}

function goTarget(name: string, flags: readonly string[]): Target {
  return {
    name,
    missing: () => (Stage.find('go') === undefined ? 'go is not installed' : undefined),
    async open(stage, version) {
      const port = await freePort()
      const source = stage.write('main.go', goServer)
      const built = join(stage.folder, 'built')
      const made = spawnSync('go', ['build', ...flags, '-o', built, source], {
        env: { ...process.env, GO111MODULE: 'off' },
        encoding: 'utf8',
      })
      if (made.status !== 0) throw new Error(made.stderr)
      chmodSync(built, 0o755)
      await stage.start(stage.copy('go', built), [stage.pem, String(port)], port)
      return requestsTo(stage, port, version)
    },
  }
}

/** Other versions of Node.js come from npm, as in `npm run node-versions`. */
function npmNode(version: string): () => string | undefined {
  let found: string | undefined
  return () => {
    if (found !== undefined) return found
    const name = `node-${process.platform}-${process.arch}`
    const folder = join(process.cwd(), '.cache', 'node', version)
    const path = join(folder, 'node_modules', name, 'bin', 'node')
    const isThere = () => spawnSync(path, ['--version']).status === 0
    if (!isThere())
      spawnSync('npm', [
        'install',
        '--no-save',
        '--no-audit',
        '--no-fund',
        '--prefix',
        folder,
        `${name}@${version}`,
      ])
    if (isThere()) found = path
    return found
  }
}

/** HTTPS servers that are targets; the client is not. */
export const httpServerTargets: readonly Target[] = [
  nginx,
  nodeTarget(`node ${process.versions.node.split('.')[0]}`, () => process.execPath),
  nodeTarget('node 24', npmNode('24')),
  goTarget('go', []),
  goTarget('go, stripped', ['-ldflags=-s -w']),
]
