import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * What `docker login` and its relatives have stored for a registry: user and password, or a refresh token. Undefined: nothing.
 *
 * @returns {{user: string, password: string} | {refreshToken: string} | undefined}
 */
export function registryCredentials(registry, env = process.env) {
  const file = join(env.DOCKER_CONFIG || join(homedir(), '.docker'), 'config.json')
  if (!existsSync(file)) return undefined
  const { auths = {}, credHelpers = {}, credsStore } = JSON.parse(readFileSync(file, 'utf8'))
  const program = credHelpers[registry] ?? credsStore
  if (program) return fromProgram(program, registry, env)
  const entry = auths[registry] ?? auths[`https://${registry}`] ?? auths[`https://${registry}/`]
  if (entry?.identitytoken) return { refreshToken: entry.identitytoken }
  if (!entry?.auth) return undefined
  const [user, ...password] = Buffer.from(entry.auth, 'base64').toString().split(':')
  return { user, password: password.join(':') }
}

/** A credential helper of docker: it reads the name of the registry and prints JSON. It fails where it has nothing. */
function fromProgram(program, registry, env) {
  let output
  try {
    const options = { input: registry, encoding: 'utf8', env, stdio: ['pipe', 'pipe', 'ignore'] }
    output = execFileSync(`docker-credential-${program}`, ['get'], options)
  } catch {
    return undefined
  }
  const { Username, Secret } = JSON.parse(output)
  // The documented mark of a refresh token.
  return Username === '<token>' ? { refreshToken: Secret } : { user: Username, password: Secret }
}
