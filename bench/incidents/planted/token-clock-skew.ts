import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'

const SKEW_MS = 95_000

/**
 * The clock of one of two pods of auth jumps ahead. The API refuses its tokens, because they are not valid yet. Noise: the
 * API always refuses a few requests without a token, and the mail service is slow.
 */
export const tokenClockSkew: PlantedIncident = {
  name: 'token-clock-skew',
  services: { web: 1, auth: 2, api: 2, mail: 1 },
  truth: { kinds: ['clock_skew'], server: 'auth' },
  async play(stage) {
    const web = stage.client('web')
    await serveHttp(stage, 'auth', async (_, __, pod) => {
      await sleep(2)
      const now = Date.now() + (stage.isFaulty && pod.name === 'auth-1' ? SKEW_MS : 0)
      const token = signed({ sub: 'web', nbf: Math.floor(now / 1000) })
      return { body: JSON.stringify({ token }), headers: { date: new Date(now).toUTCString() } }
    })
    await serveHttp(stage, 'api', async (_, { headers }) => {
      await sleep(2 + 2 * stage.random())
      const [, payload = ''] = (headers.authorization ?? '').split('.')
      if (payload === '') return { status: 401, body: '{"error":"no token"}' }
      const { nbf } = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return nbf * 1000 > Date.now() + 1000 ? { status: 401, body: '{"error":"not valid yet"}' } : {}
    })
    await serveHttp(stage, 'mail', async () => {
      await sleep(150 + 100 * stage.random())
      return {}
    })
    stage.every(50, async () => {
      const { token } = JSON.parse((await web.get('auth', '/token', { method: 'POST' })).body)
      const headers = stage.random() < 0.03 ? {} : { authorization: `Bearer ${token}` }
      for (const path of ['/account', '/orders']) await web.get('api', path, { headers })
    })
    stage.every(300, () => web.get('mail', '/send', { method: 'POST', body: 'hello' }))
  },
}

function signed(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'HS256' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', 'key of this incident').update(text).digest('base64url')}`
}
