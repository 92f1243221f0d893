import { Stage, type Version } from './stage.ts'
import type { Target } from './target.ts'

interface Client {
  readonly name: string
  readonly program: string
  /** Arguments for these addresses; all of them on one connection if there are several. */
  args(urls: readonly string[], version: Version, stage: Stage): readonly string[]
}

const python = `
import http.client, ssl, sys
version, *urls = sys.argv[1:]
context = ssl._create_unverified_context()
context.minimum_version = context.maximum_version = ssl.TLSVersion['TLSv' + version.replace('.', '_')]
host, _ = urls[0].removeprefix('https://').split('/', 1)
connection = http.client.HTTPSConnection(host, context=context)
for url in urls:
    connection.request('GET', '/' + url.removeprefix('https://').split('/', 1)[1])
    connection.getresponse().read()
`
const node = `
const https = require('node:https')
const [version, ...urls] = process.argv.slice(2)
const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
const options = { agent, rejectUnauthorized: false, minVersion: 'TLSv' + version, maxVersion: 'TLSv' + version }
const get = (url) => new Promise((resolve, reject) =>
  https.get(url, options, (response) => response.resume().on('end', resolve)).on('error', reject))
;(async () => { for (const url of urls) await get(url); agent.destroy() })()
`

const clients: readonly Client[] = [
  {
    name: 'curl',
    program: 'curl',
    args: (urls, version) => [
      ...['-sk', '--http1.1', `--tlsv${version}`, '--tls-max', version],
      ...urls.flatMap((url) => ['-o', '/dev/null', url]),
    ],
  },
  {
    name: 'wget',
    program: 'wget',
    args: (urls, version) => [
      ...['-qO-', '--no-check-certificate', '--ciphers', `NORMAL:-VERS-ALL:+VERS-TLS${version}`],
      ...urls,
    ],
  },
  {
    name: 'python',
    program: 'python3',
    args: (urls, version, stage) => [stage.write('client.py', python), version, ...urls],
  },
  {
    name: 'node client',
    program: 'node',
    args: (urls, version, stage) => [stage.write('client.cjs', node), version, ...urls],
  },
]

/** How many requests one process sends on its connection. */
const TOGETHER = 10

/** Programs that start, send a request and end, against a server that is no target. */
export const clientTargets: readonly Target[] = clients.map(({ name, program, args }) => ({
  name,
  missing: () => (findProgram(program) === undefined ? `${program} is not installed` : undefined),
  async open(stage, version) {
    const command = stage.link(program, findProgram(program) ?? program)
    const port = await stage.serve(version)
    const send = (markers: readonly string[]) =>
      stage.run(
        command,
        args(
          markers.map((marker) => `https://127.0.0.1:${port}/${marker}`),
          version,
          stage,
        ),
      )
    return {
      port,
      async each(markers) {
        for (const marker of markers) await send([marker])
      },
      async together(markers) {
        for (let at = 0; at < markers.length; at += TOGETHER) await send(markers.slice(at, at + TOGETHER))
      },
    }
  },
}))

/** The system's Python first: one that a version manager starts is found under another name. */
function findProgram(program: string): string | undefined {
  return program === 'python3' ? (Stage.find('/usr/bin/python3') ?? Stage.find(program)) : Stage.find(program)
}
