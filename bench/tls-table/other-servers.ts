import { spawnSync } from 'node:child_process'
import { chownSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './servers.ts'
import { Stage } from './stage.ts'
import type { Target } from './target.ts'

const POSTGRES = '/usr/lib/postgresql'

const redis: Target = {
  name: 'redis',
  missing: () => (Stage.find('redis-server') === undefined ? 'redis-server is not installed' : undefined),
  async open(stage, version) {
    const port = await freePort()
    const command = stage.link('redis', Stage.find('redis-server') ?? 'redis-server')
    const files = ['--tls-cert-file', stage.pem, '--tls-key-file', stage.pem, '--tls-ca-cert-file', stage.pem]
    const options = [
      '--tls-auth-clients',
      'no',
      '--tls-protocols',
      `TLSv${version}`,
      '--save',
      '',
      '--appendonly',
      'no',
    ]
    await stage.start(command, ['--port', '0', '--tls-port', String(port), ...files, ...options], port)
    const send = (markers: readonly string[]) => {
      const input = markers.map((marker) => `GET ${marker}\n`).join('')
      const args = ['--tls', '--insecure', '-p', String(port)]
      const { status, stderr } = spawnSync('redis-cli', args, { input, encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
    }
    return {
      port,
      async each(markers) {
        for (const marker of markers) send([marker])
      },
      async together(markers) {
        send(markers)
      },
    }
  },
}

/** The newest installed version; undefined if there is none. */
function postgresFolder(): string | undefined {
  if (!existsSync(POSTGRES)) return undefined
  const [version] = readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a))
  return version === undefined ? undefined : join(POSTGRES, version, 'bin')
}

const postgresql: Target = {
  name: 'postgresql',
  missing: () => (postgresFolder() === undefined ? 'postgresql is not installed' : undefined),
  async open(stage, version) {
    const port = await freePort()
    const programs = postgresFolder() ?? ''
    const data = join(stage.folder, `postgres-${version}`)
    mkdirSync(data, { mode: 0o700 })
    // It refuses to run as root.
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
    )
    chownSync(data, uid, gid)
    const as = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups']
    await stage.run('setpriv', [
      ...as,
      join(programs, 'initdb'),
      '-D',
      data,
      '-U',
      'test',
      '-A',
      'trust',
      '--no-sync',
    ])
    const pem = join(data, 'server.pem')
    copyFileSync(stage.pem, pem)
    chownSync(pem, uid, gid)
    spawnSync('chmod', ['600', pem])
    const settings = {
      ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: data, ssl: 'on', fsync: 'off' },
      ...{ ssl_cert_file: pem, ssl_key_file: pem, ssl_max_protocol_version: `TLSv${version}` },
    }
    const options = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const command = stage.link('postgres', join(programs, 'postgres'))
    await stage.start('setpriv', [...as, command, '-D', data, ...options], port)
    const send = (markers: readonly string[]) => {
      const input = markers.map((marker) => `SELECT '${marker}';\n`).join('')
      const address = `host=127.0.0.1 port=${port} user=test dbname=postgres sslmode=require`
      const { status, stderr } = spawnSync('psql', ['-qAt', address], { input, encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
    }
    return {
      port,
      async each(markers) {
        for (const marker of markers) send([marker])
      },
      async together(markers) {
        send(markers)
      },
    }
  },
}

const grpcProgram = `
const grpc = require('@grpc/grpc-js')
const [role, pemFile, port, ...markers] = process.argv.slice(2)
const pem = require('node:fs').readFileSync(pemFile)
const asIs = (bytes) => bytes
const method = (path) => ({ path, requestStream: false, responseStream: false, requestSerialize: asIs,
  requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs })
if (role === 'server') {
  const server = new grpc.Server()
  server.addService({ Say: method('/table.Echo/Say') }, { Say: (call, done) => done(null, call.request) })
  const key = grpc.ServerCredentials.createSsl(null, [{ private_key: pem, cert_chain: pem }])
  server.bindAsync('127.0.0.1:' + port, key, () => {})
} else {
  const trusted = grpc.credentials.createSsl(pem)
  const client = new grpc.Client('localhost:' + port, trusted)
  const say = (marker) => new Promise((resolve, reject) => {
    const metadata = new grpc.Metadata()
    metadata.set('x-marker', marker)
    client.makeUnaryRequest('/table.Echo/Say', asIs, asIs, Buffer.from('hello'), metadata,
      (error) => (error ? reject(error) : resolve()))
  })
  ;(async () => { for (const marker of markers) await say(marker); client.close() })()
}
`

function grpcFolder(): string | undefined {
  const folder = join(process.cwd(), '.cache', 'grpc')
  const isThere = () => existsSync(join(folder, 'node_modules', '@grpc', 'grpc-js'))
  if (!isThere())
    spawnSync('npm', [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefix',
      folder,
      '@grpc/grpc-js@1',
    ])
  return isThere() ? join(folder, 'node_modules') : undefined
}

const grpc: Target = {
  name: 'grpc pair',
  missing: () => (grpcFolder() === undefined ? '@grpc/grpc-js could not be installed from npm' : undefined),
  async open(stage, version) {
    const port = await freePort()
    const script = stage.write('grpc.cjs', grpcProgram)
    const limits = [`--tls-min-v${version}`, `--tls-max-v${version}`]
    const env = ['env', `NODE_PATH=${grpcFolder()}`]
    const server = stage.copy('grpc', process.execPath)
    await stage.start(
      'env',
      [...env.slice(1), server, ...limits, script, 'server', stage.pem, String(port)],
      port,
    )
    const send = (markers: readonly string[]) =>
      stage.run('env', [
        ...env.slice(1),
        process.execPath,
        ...limits,
        script,
        'client',
        stage.pem,
        String(port),
        ...markers,
      ])
    return {
      port,
      async each(markers) {
        for (const marker of markers) await send([marker])
      },
      async together(markers) {
        await send(markers)
      },
    }
  },
}

/** Servers of other protocols that are targets; the client is not. */
export const otherServerTargets: readonly Target[] = [postgresql, redis, grpc]
