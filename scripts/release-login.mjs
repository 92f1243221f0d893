import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { say } from './checkout.mjs'
import { publicNames } from './release/public-names.mjs'

/**
 * `npm run release:login` stores `REGISTRY_USER` and `REGISTRY_PASSWORD` for the registry of the image where docker does, for helm and
 * cosign too. For machines without docker, such as those of the release workflow.
 */
const { REGISTRY_USER: user, REGISTRY_PASSWORD: password, DOCKER_CONFIG } = process.env
if (!user || !password) {
  say('Set REGISTRY_USER and REGISTRY_PASSWORD.')
  process.exit(1)
}
const [registry] = publicNames.image.split('/')
const folder = DOCKER_CONFIG || join(homedir(), '.docker')
const file = join(folder, 'config.json')
const config = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
const auth = Buffer.from(`${user}:${password}`).toString('base64')
mkdirSync(folder, { recursive: true, mode: 0o700 })
writeFileSync(file, JSON.stringify({ ...config, auths: { ...config.auths, [registry]: { auth } } }), {
  mode: 0o600,
})
say(`Logged in to ${registry}`)
